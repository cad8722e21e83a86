import type { LedgerQuery, LedgerRecord } from '../../../core/stores/ledger-book.ts';
import type { EpochMs } from '../../../core/time.ts';
import { modelUsageOf, type SessionRow, type UsageRow } from '../../rows/session-rows.ts';
import type { Sql } from '../database/sql.ts';
import { countSearched } from '../search/search-rows.ts';
import type { WriteTurn } from '../writing/write-turn.ts';
import { wholeInstant } from './session-list.ts';

/** So many messages go in one transaction: its locks are held for milliseconds, and whoever cleans up after it can follow. */
const STEP = 500;

/** Deletes the messages of sessions; the rest of their rows stays. */
export async function dropMessages(write: WriteTurn, keys: readonly number[]): Promise<void> {
  while (await write((tx) => dropSome(tx, keys)));
}

async function dropSome(tx: Sql, keys: readonly number[]): Promise<boolean> {
  // Who is indexing these messages right now is done before they go, so nothing is indexed that is gone.
  await tx.all('SELECT key FROM coppice.sessions WHERE key = ANY (?::bigint[]) ORDER BY key FOR UPDATE', keys);
  const rows = await tx.all<{ id: number }>(
    `DELETE FROM coppice.messages WHERE id IN (SELECT id FROM coppice.messages WHERE session_key = ANY (?::bigint[])
     ORDER BY id LIMIT ${STEP}) RETURNING id`,
    keys,
  );
  if (rows.length === 0) return false;
  const gone = await tx.get<{ messages: number; words: number }>(
    `WITH gone AS (DELETE FROM coppice.search WHERE message_id = ANY (?::bigint[]) RETURNING cardinality(words) AS words)
     SELECT count(*) AS messages, coalesce(sum(words), 0)::bigint AS words FROM gone`,
    rows.map(({ id }) => id),
  );
  if (gone !== undefined && gone.messages > 0) await countSearched(tx, -gone.messages, -gone.words);
  return rows.length === STEP;
}

/** What names a session by its key, and goes with it. Routes answer nothing any more, and tell who was talking. */
const OF_SESSION = ['leases', 'usage', 'archives', 'titles', 'rewinds', 'routes'];

/** Deletes the rows of sessions that nobody sees any more, in short steps. Can be stopped and begun again at any point. */
export async function dropRows(write: WriteTurn, keys: readonly number[]): Promise<void> {
  await dropMessages(write, keys);
  await write(async (tx) => {
    await markPurged(tx, keys);
    for (const table of OF_SESSION) {
      await tx.run(`DELETE FROM coppice.${table} WHERE session_key = ANY (?::bigint[])`, keys);
    }
    await tx.run('DELETE FROM coppice.sessions WHERE key = ANY (?::bigint[])', keys);
  });
}

/** An archive that is gone for good cannot be given back by the run that made it. */
async function markPurged(tx: Sql, keys: readonly number[]): Promise<void> {
  await tx.run(
    `UPDATE coppice.run_items i SET state = 'purged' FROM coppice.archives a WHERE a.session_key = ANY (?::bigint[])
     AND i.space = :space AND i.run_id = a.run_id AND i.number = a.run_number AND i.state = 'archived'`,
    keys,
  );
}

/** Usage per model, the most expensive first. */
export function usageRows(sql: Sql, key: number): Promise<readonly UsageRow[]> {
  return sql.all<UsageRow>('SELECT * FROM coppice.usage WHERE session_key = ? ORDER BY cost_nano_usd DESC, model', key);
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

const LEDGER_PAGE = 200;

/** Reads the ledger in pages, the newest entry first. */
export async function* readLedger(sql: Sql, query: LedgerQuery = {}): AsyncGenerator<LedgerRecord> {
  const { source, since = Number.MIN_SAFE_INTEGER } = query;
  const { before = Number.MAX_SAFE_INTEGER, below = Number.MAX_SAFE_INTEGER } = query;
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  for (let from = below; left > 0; ) {
    const rows = await sql.all<LedgerRow>(
      `SELECT * FROM coppice.ledger WHERE space = :space AND key < ? AND source = coalesce(?, source) AND last_active_at >= ?
       AND last_active_at < ? ORDER BY key DESC LIMIT ?`,
      from,
      source,
      wholeInstant(since),
      wholeInstant(before),
      Math.min(LEDGER_PAGE, left),
    );
    for (const row of rows) yield ledgerRecordOf(row);
    if (rows.length < LEDGER_PAGE) return;
    left -= rows.length;
    from = rows.at(-1)?.key ?? 0;
  }
}

/** Leaves the trace of a session that goes; `run` is who takes it, so that giving it back can take the trace away again. */
export async function writeLedger(
  tx: Sql,
  row: SessionRow,
  { now, run }: { now: EpochMs; run: string },
): Promise<void> {
  const usage = (await usageRows(tx, row.key)).map(modelUsageOf);
  await tx.run(
    `INSERT INTO coppice.ledger (space, id, source, title, workdir, started_at, last_active_at, ended_at, end_reason,
     message_count, tool_call_count, usage_by_model, removed_at, run_id) VALUES (:space, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
