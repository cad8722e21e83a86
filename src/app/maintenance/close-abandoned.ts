import { ABANDONED } from '../../core/sessions/end-reasons.ts';
import type { UnusedSession } from '../../core/stores/session-writer.ts';
import { MINUTE_MS } from '../../core/time.ts';
import { activeTest, deadHolders } from '../../keeping/liveness/active-sessions.ts';
import { judgeClock } from '../../keeping/liveness/clock-watch.ts';
import { abandonmentTest } from '../../policy/abandonment-test.ts';
import type { HomeParts } from '../home-parts.ts';
import { policyFromConfig } from '../retention/policy-from-config.ts';

/**
 * Closes sessions that nobody ended and nobody uses, whatever else is switched on: they are still there, can be taken up again, and
 * age from now. Looks at open sessions only, so it costs next to nothing where there are few. Returns how many it closed.
 */
export async function closeAbandoned(parts: HomeParts): Promise<number> {
  // Another agent closes its own sessions.
  if (parts.foreign !== undefined) return 0;
  const unused = await unusedSessions(parts);
  if (unused.length === 0) return 0;
  const { store, clock } = parts;
  // Asked for last: a process that died since counts, and one that came since is not among them.
  const dead = await deadHolders(store, clock);
  return (await store.endUnused(unused, { reason: ABANDONED, deadHolders: dead })).length;
}

async function unusedSessions({ store, clock, config }: HomeParts): Promise<readonly UnusedSession[]> {
  const now = clock.now();
  const isAbandoned = abandonmentTest(policyFromConfig(config), now);
  const old = [];
  for await (const session of store.list({ open: true, sort: 'stored' })) {
    if (isAbandoned({ ...session, active: false })) old.push(session);
  }
  // By a clock that may be wrong, anything looks old.
  if (old.length === 0 || (await judgeClock(store, clock)) === 'suspect') return [];
  const isActive = await activeTest(store, { clock, graceMs: config.sessions.active_grace_minutes * MINUTE_MS });
  const named = await store.routes.named();
  return old.filter((session) => {
    return isAbandoned({ ...session, active: isActive(session), routed: named.has(session.id) });
  });
}
