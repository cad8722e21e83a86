import type { Database } from 'better-sqlite3';
import type { Reserved, SpendKey } from '../../../core/gateway/gateway.ts';
import type { Reservation, ReserveRequest } from '../../../core/gateway/spend-book.ts';
import type { Clock } from '../../../core/time.ts';
import {
  amountsOf,
  besideReserved,
  isFreshRow,
  namesIn,
  type ReservedAmounts,
  type ReservedRow,
} from '../../rows/reserved-rows.ts';
import type { SpendOwner } from '../../rows/spend-owner.ts';

/** What calls under way have set aside, of all processes. Not a sum in each row but one row for each call: a dead one is taken out. */
export function createReservations(db: Database, { clock, owner }: { clock: Clock; owner: SpendOwner }) {
  const insert = db.prepare(`INSERT INTO reserved (${COLUMNS}, owner, reserved_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const replace = db.prepare(`UPDATE reserved SET model = ?, period = ?, tokens = ?, nano_usd = ?, is_call = ?,
    reserved_at = ? WHERE id = ?`);
  const remove = db.prepare('DELETE FROM reserved WHERE id = ?');
  const removeOwner = db.prepare('DELETE FROM reserved WHERE owner = ?');
  const rows = db.prepare<[], ReservedRow>(`SELECT ${COLUMNS}, id, reserved_at FROM reserved`).raw();
  const ofOwner = db.prepare<[string, number], ReservedRow>(
    `SELECT ${COLUMNS}, id, reserved_at FROM reserved WHERE owner = ? AND reserved_at <= ?`,
  );
  let hasReserved = false;

  return {
    /** All that is set aside now. */
    all: (): readonly ReservedRow[] => rows.all(),
    /** The totals with what others than the one who asks have set aside of each. */
    beside: besideReserved,
    /** With all that is set aside, as it was read in the same transaction. */
    put(
      { account, shared, amounts, instead, isCall = false }: ReserveRequest,
      all: readonly ReservedRow[],
    ): Reservation {
      const { source, model, period } = namesIn(shared);
      const { tokens, nanoUsd } = amounts;
      const now = clock.now();
      const own = instead && all.find(([, , , , , , , id]) => id === instead.id);
      if (instead !== undefined && own !== undefined) {
        const after = [model, period, tokens, nanoUsd, Number(isCall)] as const;
        if (!isFreshRow(own, after, now)) replace.run(...after, now, instead.id);
        return instead;
      }
      hasReserved = true;
      const { key } = account.session;
      const done = insert.run(key, source, model, period, tokens, nanoUsd, Number(isCall), owner.text, now);
      return { id: Number(done.lastInsertRowid) };
    },
    /** Holds another amount in its place, for a step that counts towards these rows. */
    change({ id }: Reservation, keys: readonly SpendKey[], { tokens, nanoUsd }: Reserved): void {
      const { model, period } = namesIn(keys);
      replace.run(model, period, tokens, nanoUsd, 0, clock.now(), id);
    },
    drop: ({ id }: Reservation): void => void remove.run(id),
    dropOwn(): void {
      if (hasReserved) removeOwner.run(owner.text);
    },
    /** Takes out what this owner had set aside by then: whatever is newer is of another that was given its number. */
    takeOut(ownerText: string, newestAt: number): readonly ReservedAmounts[] {
      const taken = ofOwner.raw().all(ownerText, newestAt) as unknown as readonly ReservedRow[];
      for (const [, , , , , , , id] of taken) remove.run(id);
      return taken.map(amountsOf);
    },
  };
}

export type Reservations = ReturnType<typeof createReservations>;

const COLUMNS = 'session, source, model, period, tokens, nano_usd, is_call';
