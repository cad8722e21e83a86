import type { SessionFacts } from '../../core/session.ts';
import type { LeaseHolder, ListQuery, SessionStore } from '../../core/session-store.ts';
import { type EpochMs, MINUTE_MS } from '../../core/time.ts';
import { processState } from '../../platform/process-identity.ts';

/** A holder on another machine, whose process cannot be looked at, counts as alive for this long after its last sign. */
const HEARTBEAT_GRACE_MS = 10 * MINUTE_MS;

/** What makes a session active now: a living holder, or activity within the grace. */
export async function activeQuery(
  store: SessionStore,
  { now, graceMs }: { now: EpochMs; graceMs: number },
): Promise<NonNullable<ListQuery['active']>> {
  const holders = await store.holders();
  return { holderIds: holders.filter((holder) => isAlive(holder, now)).map(({ id }) => id), since: now - graceMs };
}

/** The same question about sessions at hand, for those who look at all of them anyway. */
export async function activeTest(
  store: SessionStore,
  { now, graceMs }: { now: EpochMs; graceMs: number },
): Promise<(session: Pick<SessionFacts, 'id' | 'endedAt' | 'lastActiveAt'>) => boolean> {
  const claimed = await claimedSessions(store, now);
  return ({ id, endedAt, lastActiveAt }) => (endedAt === undefined && lastActiveAt >= now - graceMs) || claimed.has(id);
}

/** The sessions that a living holder claims, by their ids. */
export async function claimedSessions(store: SessionStore, now: EpochMs): Promise<ReadonlySet<string>> {
  const alive = (await store.holders()).filter((holder) => isAlive(holder, now));
  return new Set(alive.flatMap(({ sessionIds }) => sessionIds));
}

/** Holders whose claims no longer count, by their ids. */
export async function deadHolders(store: SessionStore, now: EpochMs): Promise<readonly string[]> {
  return (await goneHolders(store, now)).map(({ id }) => id);
}

/** The same, with all that is known of them. */
export async function goneHolders(store: SessionStore, now: EpochMs): Promise<readonly LeaseHolder[]> {
  return (await store.holders()).filter((holder) => !isAlive(holder, now));
}

function isAlive({ process, heartbeatAt }: LeaseHolder, now: EpochMs): boolean {
  const state = processState(process);
  return state === 'alive' || (state === 'unknown' && heartbeatAt > now - HEARTBEAT_GRACE_MS);
}
