import type { FoundCall } from '../../gateway/readers/told-line.ts';
import { readAfterCrash } from '../../gateway/readers/usage-reader.ts';
import { closeOrphanRuns } from '../../gateway/run/close-orphan-runs.ts';
import type { RunRecord } from '../../gateway/run/run-record.ts';
import { claimedSessions } from '../../keeping/liveness/active-sessions.ts';
import type { HomeParts } from '../home-parts.ts';
import type { LiveGateway } from './live-gateway.ts';
import { recordedRuns } from './recorded-runs.ts';
import { STOP_GRACE_MS } from './stop-grace.ts';

interface OrphanParts extends HomeParts {
  readonly gateway: Pick<LiveGateway, 'live'>;
}

/**
 * Runs whose supervisor died are ended, and their sessions closed as what happened to them: a crash. A session in which another run
 * is at work goes on. Returns how many were.
 */
export async function closeOrphans(parts: OrphanParts): Promise<number> {
  const { store, clock } = parts;
  const { runRecords: records } = store;
  const recorded = await recordedRuns(store);
  if (recorded.length === 0) return 0;
  let closed = 0;
  const claimed = await claimedSessions(store, clock);
  const goesOn = new Map<string, boolean>();
  const closing = { records, stopGraceMs: STOP_GRACE_MS, countRest: (record: RunRecord) => countRest(parts, record) };
  for await (const { record, status } of closeOrphanRuns(recorded, closing)) {
    const { runId, sessionId } = record;
    // Of another machine, or of this one before it was started again: its claim on the session says whether it goes on.
    const over = status === 'elsewhere' && !claimed.has(sessionId);
    if (over) await records.remove(runId);
    if (over || status === 'closed') closed += 1;
    goesOn.set(sessionId, goesOn.get(sessionId) === true || !(over || status === 'closed'));
  }
  for (const [id, still] of goesOn) {
    if (!still && (await store.get(id)) !== undefined) await store.end(id, 'crash');
  }
  return closed;
}

/** What an agent wrote down before its supervisor died is counted once, whoever was the first to. */
async function countRest({ store, gateway }: OrphanParts, record: RunRecord): Promise<void> {
  const facts = record.reads && (await store.get(record.sessionId));
  if (record.reads === undefined || facts === undefined) return;
  const { live } = gateway.live.rulesFor(facts.source);
  await using turn = (await gateway.live.follow(facts, live)).beginTurn();
  const take = async ({ id, model, tokens }: FoundCall): Promise<void> =>
    void (await turn.found(id, { model, ...tokens }));
  await readAfterCrash({ run: record.reads, take });
}
