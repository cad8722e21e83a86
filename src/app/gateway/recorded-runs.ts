import type { SessionStore } from '../../core/session-store.ts';
import type { EpochMs } from '../../core/time.ts';
import type { RunRecord } from '../../gateway/run/run-record.ts';
import { claimedSessions } from '../../homes/native/active-sessions.ts';

/** The runs that are on record, whoever supervises them. */
export async function recordedRuns({ runRecords }: Pick<SessionStore, 'runRecords'>): Promise<readonly RunRecord[]> {
  return [...(await runRecords.all()).values()].map((text) => JSON.parse(text) as RunRecord);
}

/** Since when a run works in which session, in any process that is alive; of several, the first. */
export async function runningSince(store: SessionStore, now: EpochMs): Promise<ReadonlyMap<string, EpochMs>> {
  const runs = await recordedRuns(store);
  if (runs.length === 0) return new Map();
  const claimed = await claimedSessions(store, now);
  const live = runs.filter(({ sessionId }) => claimed.has(sessionId));
  const since = live.map(({ sessionId, startedAt = 0 }) => [sessionId, startedAt] as const);
  return new Map(since.toSorted(([, a], [, b]) => b - a));
}
