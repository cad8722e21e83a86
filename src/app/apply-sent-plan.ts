import type { Plan } from '../core/plan.ts';
import type { AppliedRun, ApplyOptions, Retention } from './retention.ts';
import { staleRemovals } from './stale-removals.ts';

/**
 * Carries out a plan that somebody sent. Anybody can write one, so that it is judged again: of what it says, only what this home
 * would decide now in the same way is done, and the rest is skipped.
 */
export async function applySentPlan(retention: Retention, plan: Plan, options: ApplyOptions): Promise<AppliedRun> {
  const { signal, onOutcome } = options;
  const stale = staleRemovals(plan, await retention.plan(plan.request, signal && { signal }));
  const applied = await retention.apply(plan, { ...options, except: new Set(stale) });
  for (const { item, action, sizeBytes } of stale)
    onOutcome?.({ item, action, status: 'skipped', detail: 'It has changed since the plan was made.', sizeBytes });
  return { ...applied, skipped: applied.skipped + stale.length };
}
