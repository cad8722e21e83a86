import type { LedgerEntry } from '../../core/session.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Connection } from './connection.ts';
import type { PatientQueue } from './patient-queue.ts';
import { mergeIndexes } from './search-index.ts';
import { modelUsageOf, type SessionRow, type UsageRow } from './session-rows.ts';

/** Deletes the rows of sessions that nobody sees any more, in short steps. Can be stopped and begun again at any point. */
export async function dropRows(db: Connection, queue: PatientQueue, keys: readonly number[]): Promise<void> {
  const all = JSON.stringify(keys);
  await dropMessages(db, queue, {
    keys,
    last() {
      for (const table of ['leases', 'usage', 'archives']) {
        db.sql(`DELETE FROM ${table} WHERE session_key IN (SELECT value FROM json_each(?))`).run(all);
      }
      db.sql('DELETE FROM sessions WHERE key IN (SELECT value FROM json_each(?))').run(all);
    },
  });
}

export interface MessageDrop {
  readonly keys: readonly number[];
  /** Done in the same transaction as the last step. */
  readonly last?: () => void;
}

/** Deletes the messages of sessions in short steps; the rest of their rows stays. */
export async function dropMessages(db: Connection, queue: PatientQueue, { keys, last }: MessageDrop): Promise<void> {
  const all = JSON.stringify(keys);
  const drop = db
    .sql<[string, number], number>(`DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE session_key IN
    (SELECT value FROM json_each(?)) LIMIT ?) RETURNING octet_length(text)`)
    .pluck();
  const some = db.sql('SELECT 1 FROM messages WHERE session_key IN (SELECT value FROM json_each(?)) LIMIT 1');
  let left = true;
  const isLeft = () => left;
  const dropSome = (limit: number) => {
    const sizes = drop.all(all, limit);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (sizes.length > 0) mergeIndexes(db, bytes);
    left = some.get(all) !== undefined;
    if (!left) last?.();
    return sizes.length;
  };
  while (isLeft()) await queue.step('messages', dropSome);
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

/** Reads the ledger, oldest entry first. */
export function* readLedger(db: Connection): Generator<LedgerEntry> {
  const page = db.sql<[number], LedgerRow & { key: number }>(
    'SELECT * FROM ledger WHERE key > ? ORDER BY key LIMIT 200',
  );
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.key ?? 0)) {
    for (const row of rows) yield ledgerEntryOf(row);
  }
}

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

function ledgerEntryOf(row: LedgerRow): LedgerEntry {
  return {
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
    usageByModel: JSON.parse(row.usage_by_model) as LedgerEntry['usageByModel'],
    removedAt: row.removed_at,
  };
}
