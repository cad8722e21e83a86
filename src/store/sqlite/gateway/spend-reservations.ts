import type { Database } from 'better-sqlite3';
import type { Reserved, Scope, Spend, SpendKey } from '../../../core/gateway/gateway.ts';
import type { Reservation, ReserveRequest } from '../../../core/gateway/spend-book.ts';
import { type Clock, MINUTE_MS } from '../../../core/time.ts';
import type { SpendOwner } from './spend-owner.ts';

/** A row that is as it should be is written again only after this: whoever cannot see its owner goes by how new it is. */
const FRESH_MS = MINUTE_MS;

const NOTHING: Reserved = { tokens: 0, nanoUsd: 0 };

/** What was set aside, and for what. */
export interface ReservedAmounts extends Reserved {
  readonly session: string;
  readonly source: string;
  readonly model: string;
  readonly period: string;
  readonly isCall: boolean;
}

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
    beside(spent: readonly Spend[], all: readonly ReservedRow[], asking?: Reservation): readonly Spend[] {
      const others = asking === undefined ? all : all.filter(([, , , , , , , id]) => id !== asking.id);
      if (others.length === 0) return spent;
      return spent.map((spend) => ({ ...spend, reserved: reservedOf(others, spend) }));
    },
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
        const [, , ...before] = own;
        const after = [model, period, tokens, nanoUsd, Number(isCall)] as const;
        const isFresh = Math.abs(now - own[8]) < FRESH_MS && after.every((value, index) => value === before[index]);
        if (!isFresh) replace.run(...after, now, instead.id);
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

type ReservedRow = readonly [
  session: string,
  source: string,
  model: string,
  period: string,
  tokens: number,
  nanoUsd: number,
  isCall: number,
  id: number,
  reservedAt: number,
];

function amountsOf([session, source, model, period, tokens, nanoUsd, isCall]: ReservedRow): ReservedAmounts {
  return { session, source, model, period, tokens, nanoUsd, isCall: isCall !== 0 };
}

function reservedOf(others: readonly ReservedRow[], { scope, key, period }: Spend): Reserved {
  return others
    .filter((row) => (scope === 'session' || row[3] === period) && IS_OF[scope](row, key))
    .reduce((sum, [, , , , tokens, nanoUsd]) => {
      return { tokens: sum.tokens + tokens, nanoUsd: sum.nanoUsd + nanoUsd };
    }, NOTHING);
}

const IS_OF: Readonly<Record<Scope, (row: ReservedRow, key: string) => boolean>> = {
  session: ([session], key) => session === key,
  source: ([, source], key) => source === key,
  model: ([, , model], key) => model === key,
  day: () => true,
};

function namesIn(keys: readonly SpendKey[]): { source: string; model: string; period: string } {
  const keyOf = (scope: Scope) => keys.find((row) => row.scope === scope)?.key ?? '';
  const period = keys.find(({ scope }) => scope !== 'session')?.period ?? '';
  return { source: keyOf('source'), model: keyOf('model'), period };
}
