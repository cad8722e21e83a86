import type { SessionFacts } from '../../../core/sessions/session.ts';
import { type ListQuery, SORT_MEASURES } from '../../../core/stores/session-reader.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { HermesDatabase } from '../database/hermes-connection.ts';
import { hermesFacts } from './hermes-facts.ts';
import { evidenceOf, readLiveness } from './hermes-liveness.ts';
import { type HermesRow, readMessageSums, readSession, readSessions, SWEPT } from './hermes-rows.ts';
import type { FileBytes } from './hermes-session-item.ts';

export interface ListHermes {
  readonly home: string;
  readonly query: ListQuery;
  readonly bytesOf: (id: string) => FileBytes;
  readonly now: EpochMs;
}

/** The sessions that a query asks for, in its order. What is active is decided by Hermes' own evidence. */
export async function listHermes(hermes: HermesDatabase, request: ListHermes): Promise<readonly SessionFacts[]> {
  const { home, query, bytesOf, now } = request;
  if (query.limit !== undefined && query.active === undefined && (query.sort ?? 'last') === 'last') {
    return listNewest(hermes, request, query.limit);
  }
  const liveness = query.active === undefined ? undefined : readLiveness(home, hermes, now);
  const sums = await readMessageSums(hermes);
  const sessions: SessionFacts[] = [];
  for await (const row of readSessions(hermes, sums)) {
    if ('badId' in row || !fits(row, query)) continue;
    if (liveness !== undefined && evidenceOf(liveness, row) === undefined) continue;
    sessions.push(hermesFacts(row, bytesOf(row.id)));
  }
  if (query.sort !== 'stored') {
    const value = SORT_MEASURES[query.sort ?? 'last'];
    sessions.sort((a, b) => value(b) - value(a) || (a.id < b.id ? 1 : -1));
  }
  return sessions.slice(0, query.limit);
}

/** The few that were used last, without a pass over all messages: their times are in an index, and homes grow to 50 GB. */
function listNewest(hermes: HermesDatabase, { query, bytesOf }: ListHermes, limit: number): readonly SessionFacts[] {
  const known = hermes.tables.get('sessions');
  const noted = known?.has('last_activity_at') ? 'ifnull(s.last_activity_at, 0)' : '0';
  const said = 'ifnull((SELECT max(timestamp) FROM messages WHERE session_id = s.id), 0)';
  const swept = `iif(s.end_reason IN (${[...SWEPT].map((reason) => `'${String(reason)}'`).join(', ')}), ifnull(s.ended_at, 0), 0)`;
  const ids = hermes.db
    .prepare<[string | null], string>(
      `SELECT s.id FROM sessions AS s WHERE typeof(s.id) = 'text' AND s.source = coalesce(?, s.source)
       ORDER BY coalesce(nullif(max(${noted}, ${said}, ${swept}), 0), s.started_at) DESC, s.id DESC`,
    )
    .pluck()
    .all(query.source ?? null);
  const sessions: SessionFacts[] = [];
  for (const id of ids) {
    if (sessions.length >= limit) break;
    const row = readSession(hermes, id);
    if (row === undefined || !fits(row, query)) continue;
    sessions.push(hermesFacts(row, bytesOf(id)));
  }
  return sessions;
}

function fits(
  { source, lastActiveAt, endedAt }: Pick<HermesRow, 'source' | 'lastActiveAt' | 'endedAt'>,
  query: ListQuery,
): boolean {
  if (query.open === true && endedAt !== undefined) return false;
  if (query.source !== undefined && source !== query.source) return false;
  return lastActiveAt >= (query.since ?? 0) && lastActiveAt < (query.before ?? Number.POSITIVE_INFINITY);
}
