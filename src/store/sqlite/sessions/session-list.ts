import type { SessionFacts } from '../../../core/sessions/session.ts';
import type { SessionSort } from '../../../core/stores/session-reader.ts';
import type { StoreListQuery } from '../../../core/stores/session-store.ts';
import type { Connection } from '../database/connection.ts';
import { filterConditions } from './filter-conditions.ts';
import { factsOf, type SessionRow } from '../../rows/session-rows.ts';

const ORDER: Record<SessionSort, string> = {
  last: 'last_active_at',
  size: 'content_bytes + transcript_bytes + dump_bytes',
  bytes: 'content_bytes + transcript_bytes + dump_bytes',
  messages: 'message_count - output_count',
  tokens: 'input_tokens + output_tokens + cache_read_tokens + cache_write_tokens',
  cost: 'cost_nano_usd',
};

/** Rows read at once: enough to be quick, few enough to take little memory. */
const PAGE = 200;

/** Lists sessions in pages, so that a list of any length takes little memory. */
export function* listSessions(db: Connection, query: StoreListQuery): Generator<SessionFacts> {
  for (const page of query.sort === 'stored' ? storedPages(db, query) : sortedPages(db, query)) {
    for (const row of page) yield factsOf(row);
  }
}

/** Straight through the table. */
function* storedPages(db: Connection, query: StoreListQuery): Generator<readonly SessionRow[]> {
  const { where, values } = conditionsOf(query);
  const page = rowReader(db, `SELECT * FROM sessions WHERE ${where} AND key > ? ORDER BY key LIMIT ?`);
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  for (let after = 0; left > 0; ) {
    const rows = page(...values, after, Math.min(PAGE, left));
    yield rows;
    if (rows.length < PAGE) return;
    left -= rows.length;
    after = rows.at(-1)?.key ?? after;
  }
}

/** The keys in their order first, because they may change while the list is read; then the rows by key. */
function* sortedPages(db: Connection, query: StoreListQuery): Generator<readonly SessionRow[]> {
  const keys = sortedKeys(db, query);
  const page = rowReader(db, `SELECT * FROM sessions WHERE key IN (SELECT value FROM json_each(?)) AND state = ?`);
  for (let first = 0; first < keys.length; first += PAGE) {
    const wanted = keys.slice(first, first + PAGE);
    const rows = new Map(page(JSON.stringify(wanted), stateOf(query)).map((row) => [row.key, row]));
    // A session removed while the list is read is left out.
    yield wanted.flatMap((key) => rows.get(key) ?? []);
  }
}

/** Reads rows and names their values here: the binding to SQLite takes nearly twice as long to do it. */
function rowReader(db: Connection, sql: string): (...values: readonly (string | number)[]) => SessionRow[] {
  const statement = db.sql<(string | number)[], unknown[]>(sql).raw();
  const names = statement.columns().map(({ name }) => name);
  const named = (values: readonly unknown[]) => {
    const row: Record<string, unknown> = {};
    for (let at = 0; at < names.length; at += 1) row[names[at] ?? ''] = values[at];
    return row as unknown as SessionRow;
  };
  return (...values) => statement.all(...values).map(named);
}

function sortedKeys(db: Connection, { sort = 'last', limit = -1, skip = 0, ...query }: StoreListQuery): number[] {
  const { where, values } = conditionsOf(query);
  const order = sort === 'stored' ? 'key' : ORDER[sort];
  return db
    .sql<(string | number)[], number>(
      `SELECT key FROM sessions WHERE ${where} ORDER BY ${order} DESC, key DESC LIMIT ? OFFSET ?`,
    )
    .pluck()
    .all(...values, limit, skip);
}

function stateOf({ archived }: StoreListQuery): 'live' | 'archived' {
  return archived === true ? 'archived' : 'live';
}

export function conditionsOf(query: StoreListQuery): { where: string; values: readonly (string | number)[] } {
  const conditions = [`state = '${stateOf(query)}'`];
  const values: (string | number)[] = [];
  const add = (condition: string, ...given: (string | number)[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  if (query.open === true) add('ended_at IS NULL');
  if (query.source !== undefined) add('source = ?', query.source);
  if (query.since !== undefined) add('last_active_at >= ?', query.since);
  if (query.before !== undefined) add('last_active_at < ?', query.before);
  if (query.active !== undefined) {
    add(
      `((ended_at IS NULL AND last_active_at >= ?) OR key IN
        (SELECT session_key FROM leases WHERE holder_id IN (SELECT value FROM json_each(?))))`,
      query.active.since,
      JSON.stringify(query.active.holderIds),
    );
  }
  for (const condition of filterConditions(query.filter ?? {})) add(condition.sql, ...condition.values);
  return { where: conditions.join(' AND '), values };
}
