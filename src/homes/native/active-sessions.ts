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

/** Holders whose claims no longer count. */
export async function deadHolders(store: SessionStore, now: EpochMs): Promise<readonly string[]> {
  return (await store.holders()).filter((holder) => !isAlive(holder, now)).map(({ id }) => id);
}

function isAlive({ process, heartbeatAt }: LeaseHolder, now: EpochMs): boolean {
  const state = processState(process);
  return state === 'alive' || (state === 'unknown' && heartbeatAt > now - HEARTBEAT_GRACE_MS);
}
