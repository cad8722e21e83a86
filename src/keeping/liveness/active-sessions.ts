import type { LeaseHolder } from '../../core/sessions/lease-holder.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { ListQuery } from '../../core/stores/session-reader.ts';
import type { SessionWriter } from '../../core/stores/session-writer.ts';
import { type Clock, MINUTE_MS } from '../../core/time.ts';
import { processState } from '../../platform/machine/process-identity.ts';
import { type ClockRecords, judgeClock } from './clock-watch.ts';

/** A holder on another machine, whose process cannot be looked at, counts as alive for this long after its last sign. */
const HEARTBEAT_GRACE_MS = 10 * MINUTE_MS;

/** What is asked of a store for who is at work in its sessions. */
export type ClaimBook = ClockRecords & Pick<SessionWriter, 'holders'>;

/** What makes a session active now: a living holder, or activity within the grace. */
export async function activeQuery(
  store: ClaimBook,
  { clock, graceMs }: { clock: Clock; graceMs: number },
): Promise<NonNullable<ListQuery['active']>> {
  const { alive } = await sortedHolders(store, clock);
  return { holderIds: alive.map(({ id }) => id), since: clock.now() - graceMs };
}

/** The same question about sessions at hand, for those who look at all of them anyway. */
export async function activeTest(
  store: ClaimBook,
  { clock, graceMs }: { clock: Clock; graceMs: number },
): Promise<(session: Pick<SessionFacts, 'id' | 'endedAt' | 'lastActiveAt'>) => boolean> {
  const claimed = await claimedSessions(store, clock);
  const now = clock.now();
  return ({ id, endedAt, lastActiveAt }) => (endedAt === undefined && lastActiveAt >= now - graceMs) || claimed.has(id);
}

/** The sessions that a living holder claims, by their ids. */
export async function claimedSessions(store: ClaimBook, clock: Clock): Promise<ReadonlySet<string>> {
  const { alive } = await sortedHolders(store, clock);
  return new Set(alive.flatMap(({ sessionIds }) => sessionIds));
}

/** Holders whose claims no longer count, by their ids. */
export async function deadHolders(store: ClaimBook, clock: Clock): Promise<readonly string[]> {
  return (await goneHolders(store, clock)).map(({ id }) => id);
}

/** The same, with all that is known of them. */
export async function goneHolders(store: ClaimBook, clock: Clock): Promise<readonly LeaseHolder[]> {
  return (await sortedHolders(store, clock)).gone;
}

interface SortedHolders {
  readonly alive: readonly LeaseHolder[];
  readonly gone: readonly LeaseHolder[];
}

/** The process itself says whether it lives. Only where it cannot be asked its last sign counts, by a clock that can be trusted. */
async function sortedHolders(store: ClaimBook, clock: Clock): Promise<SortedHolders> {
  const states = (await store.holders()).map((holder) => ({ holder, state: processState(holder.process) }));
  const isUnclear = states.some(({ state }) => state === 'unknown');
  const trusted = !isUnclear || (await judgeClock(store, clock)) === 'trusted';
  const isSilent = ({ heartbeatAt }: LeaseHolder) => trusted && heartbeatAt <= clock.now() - HEARTBEAT_GRACE_MS;
  const isGone = ({ holder, state }: (typeof states)[number]) =>
    state === 'dead' || (state === 'unknown' && isSilent(holder));
  return {
    alive: states.filter((each) => !isGone(each)).map(({ holder }) => holder),
    gone: states.filter(isGone).map(({ holder }) => holder),
  };
}
