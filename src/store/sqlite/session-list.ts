import type { SessionFacts } from '../../core/session.ts';
import type { ListQuery, Sort } from '../../core/session-store.ts';
import type { Connection } from './connection.ts';
import { factsOf, type SessionRow } from './session-rows.ts';

const ORDER: Record<Sort, string> = {
  last: 'last_active_at',
  bytes: 'content_bytes + transcript_bytes + dump_bytes',
  messages: 'message_count',
  tokens: 'input_tokens + output_tokens + cache_read_tokens + cache_write_tokens',
  cost: 'cost_nano_usd',
};

/** Lists sessions. The keys are read at once, the rows one by one, so a list of any length takes little memory. */
export function* listSessions(db: Connection, query: ListQuery): Generator<SessionFacts> {
  const row = db.sql<[number], SessionRow>(`SELECT * FROM sessions WHERE key = ? AND state = 'live'`);
  for (const key of sessionKeys(db, query)) {
    const found = row.get(key);
    // A session removed while the list is read is left out.
    if (found !== undefined) yield factsOf(found);
  }
}

function sessionKeys(db: Connection, query: ListQuery): number[] {
  const conditions = [`state = 'live'`];
  const values: (string | number)[] = [];
  const where = (condition: string, ...given: (string | number)[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  if (query.source !== undefined) where('source = ?', query.source);
  if (query.since !== undefined) where('last_active_at >= ?', query.since);
  if (query.before !== undefined) where('last_active_at < ?', query.before);
  if (query.active !== undefined) {
    where(
      `ended_at IS NULL AND (last_active_at >= ? OR key IN
        (SELECT session_key FROM leases WHERE holder_id IN (SELECT value FROM json_each(?))))`,
      query.active.since,
      JSON.stringify(query.active.holderIds),
    );
  }
  const order = ORDER[query.sort ?? 'last'];
  return db
    .sql<(string | number)[], number>(
      `SELECT key FROM sessions WHERE ${conditions.join(' AND ')} ORDER BY ${order} DESC, key DESC LIMIT ?`,
    )
    .pluck()
    .all(...values, query.limit ?? -1);
}
