import type { SessionFacts } from '../../../core/sessions/session.ts';
import type { SessionSort } from '../../../core/stores/session-reader.ts';
import type { StoreListQuery } from '../../../core/stores/session-store.ts';
import { factsOf, type SessionRow } from '../../rows/session-rows.ts';
import type { Sql, Value } from '../database/sql.ts';
import { filterConditions } from './filter-conditions.ts';

const ORDER: Record<SessionSort, string> = {
  last: 'last_active_at',
  size: 'content_bytes + transcript_bytes + dump_bytes',
  bytes: 'content_bytes + transcript_bytes + dump_bytes',
  messages: 'message_count - output_count',
  tokens: 'input_tokens + output_tokens + cache_read_tokens + cache_write_tokens',
  cost: 'cost_nano_usd',
};

/** Rows read at once: enough to be quick, few enough to take little memory. */
const PAGE = 500;

/** Lists sessions in pages, so that a list of any length takes little memory. */
export async function* listSessions(sql: Sql, query: StoreListQuery): AsyncGenerator<SessionFacts> {
  for await (const page of query.sort === 'stored' ? storedPages(sql, query) : sortedPages(sql, query)) {
    for (const row of page) yield factsOf(row);
  }
}

/** Straight through the table. */
async function* storedPages(sql: Sql, query: StoreListQuery): AsyncGenerator<readonly SessionRow[]> {
  const { where, values } = conditionsOf(query);
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  for (let after = 0; left > 0; ) {
    const rows = await sql.all<SessionRow>(
      `SELECT * FROM coppice.sessions WHERE ${where} AND key > ? ORDER BY key LIMIT ?`,
      ...values,
      after,
      Math.min(PAGE, left),
    );
    yield rows;
    if (rows.length < PAGE) return;
    left -= rows.length;
    after = rows.at(-1)?.key ?? after;
  }
}

/** The keys in their order first, because they may change while the list is read; then the rows by key. */
async function* sortedPages(sql: Sql, query: StoreListQuery): AsyncGenerator<readonly SessionRow[]> {
  const keys = await sortedKeys(sql, query);
  for (let first = 0; first < keys.length; first += PAGE) {
    const wanted = keys.slice(first, first + PAGE);
    const found = await sql.all<SessionRow>(
      'SELECT * FROM coppice.sessions WHERE key = ANY (?::bigint[]) AND state = ?',
      wanted,
      stateOf(query),
    );
    const rows = new Map(found.map((row) => [row.key, row]));
    // A session removed while the list is read is left out.
    yield wanted.flatMap((key) => rows.get(key) ?? []);
  }
}

async function sortedKeys(
  sql: Sql,
  { sort = 'last', limit, skip = 0, ...query }: StoreListQuery,
): Promise<readonly number[]> {
  const { where, values } = conditionsOf(query);
  const order = sort === 'stored' ? 'key' : ORDER[sort];
  const rows = await sql.all<{ key: number }>(
    `SELECT key FROM coppice.sessions WHERE ${where} ORDER BY ${order} DESC, key DESC LIMIT ? OFFSET ?`,
    ...values,
    limit === undefined || limit < 0 || !Number.isFinite(limit) ? null : limit,
    skip,
  );
  return rows.map(({ key }) => key);
}

function stateOf({ archived }: StoreListQuery): 'live' | 'archived' {
  return archived === true ? 'archived' : 'live';
}

export function conditionsOf(query: StoreListQuery): { where: string; values: readonly Value[] } {
  const conditions = [`space = :space AND state = '${stateOf(query)}'`];
  const values: Value[] = [];
  const add = (condition: string, ...given: Value[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  if (query.open === true) add('ended_at IS NULL');
  if (query.source !== undefined) add('source = ?', query.source);
  if (query.since !== undefined) add('last_active_at >= ?', wholeInstant(query.since));
  if (query.before !== undefined) add('last_active_at < ?', wholeInstant(query.before));
  if (query.active !== undefined) {
    add(
      `((ended_at IS NULL AND last_active_at >= ?) OR key IN
        (SELECT session_key FROM coppice.leases WHERE holder_id = ANY (?::text[])))`,
      wholeInstant(query.active.since),
      query.active.holderIds,
    );
  }
  for (const condition of filterConditions(query.filter ?? {})) add(condition.sql, ...condition.values);
  return { where: conditions.join(' AND '), values };
}

/** Instants are whole numbers on the server; a part of one counts as its end, before and after alike. */
export function wholeInstant(at: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.ceil(at)));
}
