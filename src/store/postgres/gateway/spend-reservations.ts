import type { Reserved, SpendKey } from '../../../core/gateway/gateway.ts';
import type { Reservation, ReserveRequest } from '../../../core/gateway/spend-book.ts';
import type { Clock } from '../../../core/time.ts';
import { amountsOf, isFreshRow, namesIn, type ReservedAmounts, type ReservedRow } from '../../rows/reserved-rows.ts';
import type { SpendOwner } from '../../rows/spend-owner.ts';
import type { Sql } from '../database/sql.ts';

export interface ReservationParts {
  readonly clock: Clock;
  readonly owner: SpendOwner;
}

const COLUMNS = 'session, source, model, period, tokens, nano_usd, is_call, id, reserved_at';

interface Row {
  readonly session: string;
  readonly source: string;
  readonly model: string;
  readonly period: string;
  readonly tokens: number;
  readonly nano_usd: number;
  readonly is_call: number;
  readonly id: number;
  readonly reserved_at: number;
}

/** All that is set aside now, by calls under way of all machines. */
export async function readReserved(sql: Sql): Promise<readonly ReservedRow[]> {
  return (await sql.all<Row>(`SELECT ${COLUMNS} FROM coppice.reserved WHERE space = :space ORDER BY id`)).map(inOrder);
}

/** Sets amounts aside, with all that is, as it was read in the same transaction. */
export async function putReserved(
  tx: Sql,
  { account, shared, amounts, instead, isCall = false }: ReserveRequest,
  { clock, owner, all }: ReservationParts & { readonly all: readonly ReservedRow[] },
): Promise<Reservation> {
  const { source, model, period } = namesIn(shared);
  const { tokens, nanoUsd } = amounts;
  const now = clock.now();
  const own = instead && all.find(([, , , , , , , id]) => id === instead.id);
  if (instead !== undefined && own !== undefined) {
    const after = [model, period, tokens, nanoUsd, Number(isCall)] as const;
    if (!isFreshRow(own, after, now)) await tx.run(REPLACE, ...after, now, instead.id);
    return instead;
  }
  const row = await tx.get<{ id: number }>(
    `INSERT INTO coppice.reserved (space, session, source, model, period, tokens, nano_usd, is_call, owner, reserved_at)
     VALUES (:space, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    account.session.key,
    source,
    model,
    period,
    tokens,
    nanoUsd,
    Number(isCall),
    owner.text,
    now,
  );
  return { id: row?.id ?? 0 };
}

const REPLACE = `UPDATE coppice.reserved SET model = ?, period = ?, tokens = ?, nano_usd = ?, is_call = ?, reserved_at = ?
  WHERE space = :space AND id = ?`;

/** Holds another amount in its place, for a step that counts towards these rows. */
export async function changeReserved(
  tx: Sql,
  { id }: Reservation,
  { keys, ahead, now }: { readonly keys: readonly SpendKey[]; readonly ahead: Reserved; readonly now: number },
): Promise<void> {
  const { model, period } = namesIn(keys);
  await tx.run(REPLACE, model, period, ahead.tokens, ahead.nanoUsd, 0, now, id);
}

export async function dropReserved(tx: Sql, { id }: Reservation): Promise<void> {
  await tx.run('DELETE FROM coppice.reserved WHERE space = :space AND id = ?', id);
}

export async function dropOwnReserved(tx: Sql, owner: SpendOwner): Promise<void> {
  await tx.run('DELETE FROM coppice.reserved WHERE space = :space AND owner = ?', owner.text);
}

/** Takes out what this owner had set aside by then: whatever is newer is of another that was given its number. */
export async function takeOutReserved(
  tx: Sql,
  ownerText: string,
  newestAt: number,
): Promise<readonly ReservedAmounts[]> {
  const rows = await tx.all<Row>(
    `DELETE FROM coppice.reserved WHERE space = :space AND owner = ? AND reserved_at <= ? RETURNING ${COLUMNS}`,
    ownerText,
    newestAt,
  );
  return rows.toSorted((a, b) => a.id - b.id).map((row) => amountsOf(inOrder(row)));
}

function inOrder(row: Row): ReservedRow {
  const { session, source, model, period, tokens } = row;
  return [session, source, model, period, tokens, row.nano_usd, row.is_call, row.id, row.reserved_at];
}
