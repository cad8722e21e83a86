import type { Delivery, DeliveryBook } from '../../../core/gateway/delivery-book.ts';
import { type Clock, type EpochMs, MINUTE_MS } from '../../../core/time.ts';
import type { Connection } from '../database/connection.ts';
import type { WriteQueue } from '../writing/write-queue.ts';

/** Deliveries in the database: an attempt is marked before it is made, so a crash never hides one. */
export function createDeliveryBook(db: Connection, queue: WriteQueue, clock: Clock): DeliveryBook {
  const settle = (id: string, to: { state: Delivery['state']; error?: string; nextAt: number }) =>
    queue.run(
      () =>
        void db
          .sql('UPDATE deliveries SET state = ?, last_error = ?, next_attempt_at = ? WHERE id = ?')
          .run(to.state, to.error ?? null, to.nextAt, id),
    );
  return {
    promise: ({ id, sessionId, job, target }) =>
      queue.run(() => {
        const now = clock.now();
        db.sql(`INSERT INTO deliveries VALUES (?, ?, ?, ?, ?, 'waiting', 0, ?, NULL) ON CONFLICT DO NOTHING`).run(
          id,
          sessionId,
          job,
          target,
          now,
          now,
        );
      }),
    begin: (id) => queue.run(() => begin(db, id, clock.now())),
    delivered: (id) => settle(id, { state: 'delivered', nextAt: clock.now() }),
    failed: (id, error, retryAt) =>
      settle(id, { state: retryAt === undefined ? 'given-up' : 'waiting', error, nextAt: retryAt ?? clock.now() }),
    async due(now) {
      return rows(db, `SELECT * FROM deliveries WHERE state IN ('waiting', 'sending') AND next_attempt_at <= ?`, now);
    },
    reclaim: () =>
      queue.run(
        () =>
          db
            .sql(`UPDATE deliveries SET state = 'waiting', next_attempt_at = ? WHERE state = 'sending'`)
            .run(clock.now()).changes,
      ),
    async open(sessionId) {
      const all = rows(db, `SELECT * FROM deliveries WHERE state <> 'delivered'`);
      return sessionId === undefined ? all : all.filter((delivery) => delivery.sessionId === sessionId);
    },
    trim: (before) =>
      queue.run(
        () =>
          void db
            .sql(`DELETE FROM deliveries WHERE state IN ('delivered', 'given-up') AND next_attempt_at < ?`)
            .run(before),
      ),
  };
}

/** Longer than any attempt takes. */
const SENDING_MS = 5 * MINUTE_MS;

function begin(db: Connection, id: string, now: EpochMs): Delivery | undefined {
  const marked = db
    .sql(
      `UPDATE deliveries SET state = 'sending', attempts = attempts + 1, next_attempt_at = ?
      WHERE id = ? AND (state = 'waiting' OR state = 'sending' AND next_attempt_at <= ?)`,
    )
    .run(now + SENDING_MS, id, now);
  return marked.changes === 0 ? undefined : rows(db, 'SELECT * FROM deliveries WHERE id = ?', id)[0];
}

interface DeliveryRow {
  readonly id: string;
  readonly session_id: string;
  readonly job: string;
  readonly target: string;
  readonly created_at: number;
  readonly state: Delivery['state'];
  readonly attempts: number;
  readonly next_attempt_at: number;
  readonly last_error: string | null;
}

function rows(db: Connection, sql: string, ...params: readonly (string | number)[]): Delivery[] {
  return db
    .sql<(string | number)[], DeliveryRow>(sql)
    .all(...params)
    .map((row) => ({
      id: row.id,
      sessionId: row.session_id,
      job: row.job,
      target: row.target,
      createdAt: row.created_at,
      state: row.state,
      attempts: row.attempts,
      nextAttemptAt: row.next_attempt_at,
      ...(row.last_error !== null && { lastError: row.last_error }),
    }));
}
