import { type Counter, GUARD_NAMES, type GuardName, type Verdict } from '../core/gateway/gateway.ts';
import { MINUTE_MS } from '../core/time.ts';

/**
 * The end reason of a session that was stopped: what stopped it and by how much, such as `budget: tokens (day) 1200 of 1000`, in
 * the units in which limits are set.
 */
export function stopReason({ causes: [cause] }: Verdict): string {
  if (cause === undefined) return 'closed';
  const { rule, scope, used, limit } = cause;
  const kind = GUARD_NAMES.some((name) => name === rule) ? 'guard' : 'budget';
  const { name = rule, size = 1 } = UNITS[rule as keyof typeof UNITS] ?? {};
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

const MB = 1024 * 1024;

/** Where a rule counts in smaller units than those of its setting. */
const UNITS: Partial<Record<Counter | GuardName, { readonly name: string; readonly size: number }>> = {
  nanoUsd: { name: 'usd', size: 1e9 },
  wallMs: { name: 'minutes', size: MINUTE_MS },
  bytes: { name: 'mb', size: MB },
  'bytes-per-minute': { name: 'mb-per-minute', size: MB },
};
