import { Failure } from '../../../core/failure.ts';
import type { Route, RouteBook, RouteChoice, RouteQuery, Settled } from '../../../core/gateway/route-book.ts';
import { checkRouteKey } from '../../../core/sessions/check-session.ts';
import type { SessionFacts } from '../../../core/sessions/session.ts';
import type { Clock } from '../../../core/time.ts';
import { factsOf, type SessionRow } from '../../rows/session-rows.ts';
import { digestOf } from '../database/bound-text.ts';
import type { Database } from '../database/database.ts';
import type { RequestRows } from '../database/request-rows.ts';
import type { Sql } from '../database/sql.ts';
import type { LeaseBook } from '../sessions/lease-book.ts';
import { endSession, insertSession, resumeSession } from '../sessions/session-writes.ts';
import type { WriteTurn } from '../writing/write-turn.ts';

export interface RouteBookParts {
  readonly db: Database;
  readonly write: WriteTurn;
  readonly clock: Clock;
  readonly leases: Pick<LeaseBook, 'claim' | 'release'>;
  readonly requests: Pick<RequestRows, 'once'>;
}

/** Routes beside their sessions. Whoever settles a key locks it first, so it resolves to one session wherever it is asked for. */
export function createRouteBook(parts: RouteBookParts): RouteBook {
  const { db, write, requests } = parts;
  return {
    find: (key) => routeAt(db, key),
    async settle(key, choose, once) {
      checkRouteKey(key);
      return write((tx) => requests.once(tx, once, () => settle({ ...parts, tx, key }, choose)));
    },
    end: (key, reasonFor, once) => write((tx) => requests.once(tx, once, () => end({ ...parts, tx, key }, reasonFor))),
    list: (query = {}) => listRoutes(db, query),
    async named() {
      const rows = await db.all<{ id: string }>(
        `SELECT s.id FROM coppice.routes r JOIN coppice.sessions s ON s.key = r.session_key AND s.state = 'live'
         WHERE r.space = :space`,
      );
      return new Set(rows.map(({ id }) => id));
    },
    forget: (key) =>
      write(async (tx) => (await tx.run(`DELETE FROM coppice.routes WHERE ${AT_KEY}`, digestOf(key))) > 0),
  };
}

interface AtKey extends Pick<RouteBookParts, 'clock' | 'leases'> {
  readonly tx: Sql;
  readonly key: string;
}

async function settle<Choice extends RouteChoice>(
  at: AtKey,
  choose: (current?: SessionFacts) => Choice,
): Promise<Settled<Choice>> {
  const { tx, key, clock, leases } = at;
  // A key that nobody has asked for yet has no row to lock: it gets one that names no session.
  await tx.run(
    'INSERT INTO coppice.routes VALUES (:space, ?, ?, 0, ?) ON CONFLICT (space, key_digest) DO NOTHING',
    digestOf(key),
    key,
    clock.now(),
  );
  const current = await rowAt(tx, key);
  const choice = choose(current && factsOf(current));
  if (choice.kind === 'start') return { choice, facts: await start(at, current, choice) };
  if (current === undefined) throw new Failure('failed', `No session answers ${key}, so there is none to go on with.`);
  const row = choice.kind === 'resume' ? await resumeSession(tx, current.id, clock.now()) : current;
  await leases.claim(tx, row.key);
  return { choice, facts: factsOf(row) };
}

async function start(
  { tx, key, clock, leases }: AtKey,
  current: SessionRow | undefined,
  choice: Extract<RouteChoice, { kind: 'start' }>,
): Promise<SessionFacts> {
  const now = clock.now();
  if (current !== undefined && choice.endReason !== undefined) {
    await endSession(tx, { id: current.id, reason: choice.endReason, now });
    await leases.release(tx, current.key);
  }
  const row = await insertSession(tx, { ...choice.session, routeKey: key }, now);
  await tx.run(`UPDATE coppice.routes SET session_key = ?, moved_at = ? WHERE ${AT_KEY}`, row.key, now, digestOf(key));
  await leases.claim(tx, row.key);
  return factsOf(row);
}

async function end(
  { tx, key, clock, leases }: AtKey,
  reasonFor: (current: SessionFacts) => string | undefined,
): Promise<SessionFacts | undefined> {
  const current = await rowAt(tx, key);
  const reason = current && reasonFor(factsOf(current));
  if (current === undefined || reason === undefined) return undefined;
  await leases.release(tx, current.key);
  return factsOf(await endSession(tx, { id: current.id, reason, now: clock.now() }));
}

const AT_KEY = 'space = :space AND key_digest = ?';

async function routeAt(sql: Sql, key: string): Promise<Route | undefined> {
  const row = await sql.get<JoinedRow>(`${JOINED} WHERE r.space = :space AND r.key_digest = ?`, digestOf(key));
  return row && routeOf(row);
}

/** The session that answers a key: first the key is locked, then its session. */
async function rowAt(tx: Sql, key: string): Promise<SessionRow | undefined> {
  const route = await tx.get<{ session_key: number }>(
    `SELECT session_key FROM coppice.routes WHERE ${AT_KEY} FOR UPDATE`,
    digestOf(key),
  );
  if (route === undefined) return undefined;
  return tx.get<SessionRow>(
    `SELECT * FROM coppice.sessions WHERE key = ? AND state = 'live' FOR UPDATE`,
    route.session_key,
  );
}

const JOINED = `SELECT s.*, r.key AS routed_key, r.moved_at FROM coppice.routes r
  LEFT JOIN coppice.sessions s ON s.key = r.session_key AND s.state = 'live'`;

type JoinedRow = SessionRow & { readonly routed_key: string; readonly moved_at: number };

const PAGE = 200;

/** In pages, by an index that knows the beginning of each key. */
async function* listRoutes(sql: Sql, { source, after = '' }: RouteQuery): AsyncGenerator<Route> {
  const page = (key: string) =>
    sql.all<JoinedRow>(
      `${JOINED} WHERE r.space = :space AND substr(r.key, 1, 600) >= substr(?::text, 1, 600) AND r.key > ?
       AND (?::text IS NULL OR s.source = ?::text) ORDER BY substr(r.key, 1, 600), r.key LIMIT ${PAGE}`,
      key,
      key,
      source,
      source,
    );
  for (let rows = await page(after); rows.length > 0; rows = await page(rows.at(-1)?.routed_key ?? '')) {
    for (const row of rows) yield routeOf(row);
  }
}

function routeOf(row: JoinedRow): Route {
  // A route whose session was removed joins with nothing: every column of the session is null then.
  const removed = (row.id as string | null) === null;
  return { key: row.routed_key, movedAt: row.moved_at, ...(!removed && { session: factsOf(row) }) };
}
