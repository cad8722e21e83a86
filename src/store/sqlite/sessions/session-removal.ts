import type { LedgerQuery, LedgerRecord } from '../../../core/stores/ledger-book.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Connection } from '../database/connection.ts';
import type { PatientQueue } from '../writing/patient-queue.ts';
import { noteDeletedText } from '../writing/shrink-indexes.ts';
import { dropMessages } from './drop-messages.ts';
import { modelUsageOf, type SessionRow, type UsageRow } from '../../rows/session-rows.ts';

/** Deletes the rows of sessions that nobody sees any more, in short steps. Can be stopped and begun again at any point. */
export async function dropRows(db: Connection, queue: PatientQueue, keys: readonly number[]): Promise<void> {
  const all = JSON.stringify(keys);
  await dropMessages(db, queue, {
    keys,
    last() {
      for (const table of ['leases', 'usage', 'archives']) {
        db.sql(`DELETE FROM ${table} WHERE session_key IN (SELECT value FROM json_each(?))`).run(all);
      }
      // They answer nothing any more, and tell who was talking. A message with such a key starts a session, as before.
      db.sql('DELETE FROM routes WHERE session_key IN (SELECT value FROM json_each(?))').run(all);
      db.sql('DELETE FROM sessions WHERE key IN (SELECT value FROM json_each(?))').run(all);
      // Titles and what archived sessions were asked are in indexes too.
      noteDeletedText(db, keys.length);
    },
  });
}

/** Deletes what is left of removals that an earlier version began and did not finish. Such sessions are in the ledger already. */
export async function finishRemovals(db: Connection, queue: PatientQueue): Promise<void> {
  const keys = db
    .sql<[], number>(`SELECT key FROM sessions WHERE state <> 'live' AND state = 'removing'`)
    .pluck()
    .all();
  if (keys.length > 0) await dropRows(db, queue, keys);
}

/** Usage per model, the most expensive first. */
export function usageRows(db: Connection, key: number): readonly UsageRow[] {
  return db
    .sql<[number], UsageRow>('SELECT * FROM usage WHERE session_key = ? ORDER BY cost_nano_usd DESC, model')
    .all(key);
}

interface LedgerRow {
  readonly key: number;
  readonly id: string;
  readonly source: string;
  readonly title: string | null;
  readonly workdir: string | null;
  readonly started_at: number;
  readonly last_active_at: number;
  readonly ended_at: number | null;
  readonly end_reason: string | null;
  readonly message_count: number;
  readonly tool_call_count: number;
  readonly usage_by_model: string;
  readonly removed_at: number;
}

/** Reads the ledger in pages, the newest entry first. */
export function* readLedger(db: Connection, query: LedgerQuery = {}): Generator<LedgerRecord> {
  const { source = null, since = Number.MIN_SAFE_INTEGER } = query;
  const { before = Number.MAX_SAFE_INTEGER, below = Number.MAX_SAFE_INTEGER } = query;
  const page = db.sql<(string | number | null)[], LedgerRow>(
    `SELECT * FROM ledger WHERE key < ? AND (? IS NULL OR source = ?) AND last_active_at >= ? AND last_active_at < ?
      ORDER BY key DESC LIMIT ?`,
  );
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  for (let from = below; left > 0; ) {
    const rows = page.all(from, source, source, since, before, Math.min(LEDGER_PAGE, left));
    for (const row of rows) yield ledgerRecordOf(row);
    if (rows.length < LEDGER_PAGE) return;
    left -= rows.length;
    from = rows.at(-1)?.key ?? 0;
  }
}

const LEDGER_PAGE = 200;

/** Leaves the trace of a session that goes; `run` is who takes it, so that giving it back can take the trace away again. */
export function writeLedger(db: Connection, row: SessionRow, { now, run }: { now: EpochMs; run: string }): void {
  const usage = usageRows(db, row.key).map(modelUsageOf);
  db.sql(`INSERT INTO ledger (id, source, title, workdir, started_at, last_active_at, ended_at, end_reason,
    message_count, tool_call_count, usage_by_model, removed_at, run_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
    row.id,
    row.source,
    row.title,
    row.workdir,
    row.started_at,
    row.last_active_at,
    row.ended_at,
    row.end_reason,
    row.message_count - row.output_count,
    row.tool_call_count,
    JSON.stringify(usage),
    now,
    run,
  );
}

function ledgerRecordOf(row: LedgerRow): LedgerRecord {
  return {
    number: row.key,
    id: row.id,
    source: row.source,
    ...(row.title !== null && { title: row.title }),
    ...(row.workdir !== null && { workdir: row.workdir }),
    startedAt: row.started_at,
    lastActiveAt: row.last_active_at,
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    ...(row.end_reason !== null && { endReason: row.end_reason }),
    messageCount: row.message_count,
    toolCallCount: row.tool_call_count,
    usageByModel: JSON.parse(row.usage_by_model) as LedgerRecord['usageByModel'],
    removedAt: row.removed_at,
  };
}
