import { GUARD_NAMES, type Verdict } from '../core/gateway.ts';

/** The end reason of a session that was stopped: what stopped it and by how much, such as `budget: tokens (day) 1200 of 1000`. */
export function stopReason({ causes: [cause] }: Verdict): string {
  if (cause === undefined) return 'closed';
  const { rule, scope, used, limit } = cause;
  const kind = GUARD_NAMES.some((name) => name === rule) ? 'guard' : 'budget';
  return `${kind}: ${rule} (${scope}) ${used} of ${limit}`;
}
