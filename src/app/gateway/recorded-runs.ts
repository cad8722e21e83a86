import type { GatewayBooks } from '../../core/gateway/gateway-books.ts';
import type { Clock, EpochMs } from '../../core/time.ts';
import type { RunRecord } from '../../gateway/run/run-record.ts';
import { type ClaimBook, claimedSessions } from '../../keeping/liveness/active-sessions.ts';

type RunBook = Pick<GatewayBooks, 'runRecords'>;

/** The runs that are on record, whoever supervises them. */
export async function recordedRuns({ runRecords }: RunBook): Promise<readonly RunRecord[]> {
  return [...(await runRecords.all()).values()].map((text) => JSON.parse(text) as RunRecord);
}

/** Since when which session is at work without a break, by runs of any process that is alive. */
export async function busySince(store: RunBook & ClaimBook, clock: Clock): Promise<ReadonlyMap<string, EpochMs>> {
  const runs = await recordedRuns(store);
  if (runs.length === 0) return new Map();
  const claimed = await claimedSessions(store, clock);
  const live = runs.filter(({ sessionId }) => claimed.has(sessionId));
  const spans = live.map(({ sessionId, busySince: since = 0 }) => [sessionId, since] as const);
  return new Map(spans.toSorted(([, a], [, b]) => b - a));
}
