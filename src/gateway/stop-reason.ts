import type { Verdict, VerdictCause } from '../core/gateway/gateway.ts';
import { GUARDS, guardUnit, isGuard } from '../core/gateway/guards.ts';
import { LIMITS, unitSize } from '../core/gateway/limits.ts';

/** Of a name that an agent chose. */
const MOST_NAME_CHARS = 100;

/**
 * The end reason of a session that was stopped: what stopped it and by how much, such as `budget: tokens (day) 1200 of 1000`, in
 * the units in which limits are set.
 */
export function stopReason({ causes: [cause] }: Verdict): string {
  if (cause === undefined) return 'closed';
  const { rule, scope, used, limit, model = '' } = cause;
  if (rule === 'no-price') return `budget: no price (model) ${model.slice(0, MOST_NAME_CHARS)}`.trimEnd();
  const { kind, name, size } = unitOf(rule);
  const amount = (counted: number) => Number((counted / size).toFixed(4));
  return `${kind}: ${name} (${scope}) ${amount(used)} of ${amount(limit)}`;
}

/** The end reason of a session that a verdict ended, whichever it was. One that grew too large starts afresh, as in `decideReset`. */
export function endReason(verdict: Verdict): string {
  const rule = verdict.causes[0]?.rule;
  if (verdict.kind === 'reset' && rule === 'messages') return 'reset: messages';
  if (verdict.kind === 'reset' && rule === 'bytes') return 'reset: size';
  return stopReason(verdict);
}

type Rule = Exclude<VerdictCause['rule'], 'no-price'>;

/** A rule may count in smaller units than those of its setting. */
function unitOf(rule: Rule): { readonly kind: string; readonly name: string; readonly size: number } {
  if (!isGuard(rule)) return { kind: 'budget', name: LIMITS[rule].unit, size: unitSize(rule) };
  const guard = GUARDS[rule];
  return { kind: 'guard', name: guardUnit(rule), size: guard.kind === 'rate' ? unitSize(guard.of) : 1 };
}
