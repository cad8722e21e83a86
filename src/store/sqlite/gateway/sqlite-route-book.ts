import { Failure } from '../../../core/failure.ts';
import type { Route, RouteBook, RouteChoice, RouteQuery, Settled } from '../../../core/gateway/route-book.ts';
import { checkRouteKey } from '../../../core/sessions/check-session.ts';
import type { SessionFacts } from '../../../core/sessions/session.ts';
import type { Clock } from '../../../core/time.ts';
import type { Connection } from '../database/connection.ts';
import type { WriteQueue } from '../writing/write-queue.ts';
import type { RequestRows } from '../database/request-rows.ts';
import type { LeaseBook } from '../sessions/lease-book.ts';
import { factsOf, type SessionRow } from '../../rows/session-rows.ts';
import { endSession, insertSession, resumeSession } from '../sessions/session-writes.ts';

export interface RouteBookParts {
  readonly db: Connection;
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly leases: Pick<LeaseBook, 'claim' | 'release'>;
  readonly requests: Pick<RequestRows, 'once'>;
}

/** Routes in the database beside their sessions. */
export function createRouteBook(parts: RouteBookParts): RouteBook {
  const { db, queue, requests } = parts;
  return {
    find: async (key) => routeAt(db, key),
    async settle(key, choose, once) {
      checkRouteKey(key);
      return queue.run(() => requests.once(once, () => settle(parts, key, choose)));
    },
    end: (key, reasonFor, once) => queue.run(() => requests.once(once, () => end(parts, key, reasonFor))),
    async *list(query = {}) {
      yield* listRoutes(db, query);
    },
    async named() {
      const ids = db.sql<[], string>(
        `SELECT s.id FROM routes r JOIN sessions s ON s.key = r.session_key AND s.state = 'live'`,
      );
      return new Set(ids.pluck().all());
    },
    forget: (key) => queue.run(() => db.sql('DELETE FROM routes WHERE key = ?').run(key).changes > 0),
  };
}

function settle<Choice extends RouteChoice>(
  parts: RouteBookParts,
  key: string,
  choose: (current?: SessionFacts) => Choice,
): Settled<Choice> {
  const { db, clock } = parts;
  const current = rowAt(db, key);
  const choice = choose(current && factsOf(current));
  if (choice.kind === 'start') return { choice, facts: start(parts, { key, current, choice }) };
  if (current === undefined) throw new Failure('failed', `No session answers ${key}, so there is none to go on with.`);
  const row = choice.kind === 'resume' ? resumeSession(db, current.id, clock.now()) : current;
  parts.leases.claim(row.key);
  return { choice, facts: factsOf(row) };
}

interface Start {
  readonly key: string;
  readonly current: SessionRow | undefined;
  readonly choice: Extract<RouteChoice, { kind: 'start' }>;
}

function start({ db, clock, leases }: RouteBookParts, { key, current, choice }: Start): SessionFacts {
  const now = clock.now();
  if (current !== undefined && choice.endReason !== undefined) {
    endSession(db, { id: current.id, reason: choice.endReason, now });
    leases.release(current.key);
  }
  const row = insertSession(db, { ...choice.session, routeKey: key }, now);
  db.sql(`INSERT INTO routes VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET session_key = excluded.session_key,
    moved_at = excluded.moved_at`).run(key, row.key, now);
  leases.claim(row.key);
  return factsOf(row);
}

function end(
  { db, clock, leases }: RouteBookParts,
  key: string,
  reasonFor: (current: SessionFacts) => string | undefined,
): SessionFacts | undefined {
  const current = rowAt(db, key);
  const reason = current && reasonFor(factsOf(current));
  if (current === undefined || reason === undefined) return undefined;
  leases.release(current.key);
  return factsOf(endSession(db, { id: current.id, reason, now: clock.now() }));
}

function routeAt(db: Connection, key: string): Route | undefined {
  const row = db
    .sql<[string], JoinedRow>(
      `SELECT s.*, r.key AS routed_key, r.moved_at FROM routes r
      LEFT JOIN sessions s ON s.key = r.session_key AND s.state = 'live' WHERE r.key = ?`,
    )
    .get(key);
  return row && routeOf(row);
}

function rowAt(db: Connection, key: string): SessionRow | undefined {
  return db
    .sql<[string], SessionRow>(
      `SELECT s.* FROM routes r JOIN sessions s ON s.key = r.session_key AND s.state = 'live' WHERE r.key = ?`,
    )
    .get(key);
}

type JoinedRow = SessionRow & { readonly routed_key: string; readonly moved_at: number };

const PAGE = 200;

/** In pages, so that nobody waits for a reader who takes long. */
function* listRoutes(db: Connection, { source, after = '' }: RouteQuery): Generator<Route> {
  const page = db.sql<[string, string | null, string | null, number], JoinedRow>(
    `SELECT s.*, r.key AS routed_key, r.moved_at FROM routes r
    LEFT JOIN sessions s ON s.key = r.session_key AND s.state = 'live'
    WHERE r.key > ? AND (? IS NULL OR s.source = ?) ORDER BY r.key LIMIT ?`,
  );
  const wanted = source ?? null;
  const pageAfter = (key: string) => page.all(key, wanted, wanted, PAGE);
  for (let rows = pageAfter(after); rows.length > 0; rows = pageAfter(rows.at(-1)?.routed_key ?? '')) {
    for (const row of rows) yield routeOf(row);
  }
}

function routeOf(row: JoinedRow): Route {
  // A route whose session was removed joins with nothing: every column of the session is null then.
  const removed = (row.id as string | null) === null;
  return { key: row.routed_key, movedAt: row.moved_at, ...(!removed && { session: factsOf(row) }) };
}
