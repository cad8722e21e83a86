import { planTotals } from '../../app/documents/plan-document.ts';
import { Failure } from '../../core/failure.ts';
import type { Plan } from '../../core/retention/plan.ts';

/** Stops where nothing may be changed and so nothing goes: a person who asked for a removal is told why, and not that all is well. */
export function refuseOnlyShown(plan: Plan): void {
  if (plan.onlyShown !== true || planTotals(plan).go.items > 0) return;
  throw new Failure('refused', plan.notes[0] ?? 'This home is shown and not changed.', {
    hint: 'Nothing was removed. See what can be done about it with: coppice doctor',
  });
}
