import type { Delivery, DeliveryBook } from '../../../core/gateway/delivery-book.ts';
import { type Clock, MINUTE_MS } from '../../../core/time.ts';
import type { Database } from '../database/database.ts';
import type { Sql, Value } from '../database/sql.ts';
import type { WriteTurn } from '../writing/write-turn.ts';

/** Longer than any attempt takes. */
const SENDING_MS = 5 * MINUTE_MS;

/** Deliveries: an attempt is marked before it is made, so a crash never hides one. */
export function createDeliveryBook(db: Database, write: WriteTurn, clock: Clock): DeliveryBook {
  const settle = async (id: string, to: { state: Delivery['state']; error?: string; nextAt: number }) => {
    await write((tx) =>
      tx.run(
        'UPDATE coppice.deliveries SET state = ?, last_error = ?, next_attempt_at = ? WHERE space = :space AND id = ?',
        to.state,
        to.error,
        to.nextAt,
        id,
      ),
    );
  };
  return {
    async promise({ id, sessionId, job, target }) {
      await write((tx) =>
        tx.run(
          `INSERT INTO coppice.deliveries (space, id, session_id, job, target, created_at, state, attempts, next_attempt_at)
           VALUES (:space, ?, ?, ?, ?, ?, 'waiting', 0, ?) ON CONFLICT (space, id) DO NOTHING`,
          id,
          sessionId,
          job,
          target,
          clock.now(),
          clock.now(),
        ),
      );
    },
    begin: (id) => write((tx) => begin(tx, id, clock.now())),
    delivered: (id) => settle(id, { state: 'delivered', nextAt: clock.now() }),
    failed: (id, error, retryAt) =>
      settle(id, { state: retryAt === undefined ? 'given-up' : 'waiting', error, nextAt: retryAt ?? clock.now() }),
    due: (now) => deliveries(db, `state IN ('waiting', 'sending') AND next_attempt_at <= ?`, now),
    reclaim: () =>
      write((tx) =>
        tx.run(
          `UPDATE coppice.deliveries SET state = 'waiting', next_attempt_at = ? WHERE space = :space AND state = 'sending'`,
          clock.now(),
        ),
      ),
    open: (sessionId) => deliveries(db, `state <> 'delivered' AND session_id = coalesce(?, session_id)`, sessionId),
    async trim(before) {
      await write((tx) =>
        tx.run(
          `DELETE FROM coppice.deliveries WHERE space = :space AND state IN ('delivered', 'given-up') AND next_attempt_at < ?`,
          before,
        ),
      );
    },
  };
}

async function begin(tx: Sql, id: string, now: number): Promise<Delivery | undefined> {
  const row = await tx.get<DeliveryRow>(
    `UPDATE coppice.deliveries SET state = 'sending', attempts = attempts + 1, next_attempt_at = ?
     WHERE space = :space AND id = ? AND (state = 'waiting' OR state = 'sending' AND next_attempt_at <= ?) RETURNING *`,
    now + SENDING_MS,
    id,
    now,
  );
  return row && deliveryOf(row);
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

/** In the order in which they were promised. */
async function deliveries(sql: Sql, condition: string, ...values: readonly Value[]): Promise<readonly Delivery[]> {
  const rows = await sql.all<DeliveryRow>(
    `SELECT * FROM coppice.deliveries WHERE space = :space AND ${condition} ORDER BY number`,
    ...values,
  );
  return rows.map(deliveryOf);
}

function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    sessionId: row.session_id,
    job: row.job,
    target: row.target,
    createdAt: row.created_at,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    ...(row.last_error !== null && { lastError: row.last_error }),
  };
}
