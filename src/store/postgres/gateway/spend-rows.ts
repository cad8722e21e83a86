import type { Amounts, Reserved, Scope, Spend, SpendKey } from '../../../core/gateway/gateway.ts';
import { ofEachSpent, SPENT_COUNTERS, type SpentCounter } from '../../../core/gateway/limits.ts';
import type { SpendAccount } from '../../../core/gateway/spend-book.ts';
import type { EpochMs } from '../../../core/time.ts';
import { digestOf } from '../database/bound-text.ts';
import type { Sql } from '../database/sql.ts';

const COLUMN_OF: Readonly<Record<SpentCounter, string>> = {
  tokens: 'tokens',
  nanoUsd: 'nano_usd',
  iterations: 'iterations',
  wallMs: 'wall_ms',
};
/** In the order of `SPENT_COUNTERS`. */
const COLUMN_LIST = SPENT_COUNTERS.map((counter) => COLUMN_OF[counter]);

export function rowDigest({ scope, key, period }: SpendKey): string {
  return digestOf(scope, key, period);
}

const OF_ROW = 'space = :space AND row_digest = ?';

/** Begins a row of totals, unless it is there. */
export async function beginRow(tx: Sql, row: SpendKey, { amounts, now }: Added): Promise<void> {
  await tx.run(
    `INSERT INTO coppice.spend (space, row_digest, scope, key, period, updated_at, ${COLUMN_LIST.join()})
     VALUES (:space, ?, ?, ?, ?, ?, ${COLUMN_LIST.map(() => '?').join()}) ON CONFLICT DO NOTHING`,
    rowDigest(row),
    row.scope,
    row.key,
    row.period,
    now,
    ...valuesOf(amounts),
  );
}

/** What the session store knows, without what was taken back of it: the store keeps what was reported. */
export async function beginCorrected(tx: Sql, row: SpendKey, { totals, now }: Begun): Promise<void> {
  const back = await tx.get<Reserved>(
    `SELECT coalesce(sum(tokens), 0)::bigint AS tokens, coalesce(sum(nano_usd), 0)::bigint AS "nanoUsd"
     FROM coppice.corrections WHERE space = :space AND session = ?`,
    row.key,
  );
  const tokens = Math.max(0, (totals.tokens ?? 0) - (back?.tokens ?? 0));
  const nanoUsd = Math.max(0, (totals.nanoUsd ?? 0) - (back?.nanoUsd ?? 0));
  await beginRow(tx, row, { amounts: { ...totals, tokens, nanoUsd }, now });
  await tx.run(
    `UPDATE coppice.spend SET tokens = greatest(tokens, ?::bigint), nano_usd = greatest(nano_usd, ?::bigint)
     WHERE ${OF_ROW} AND (tokens < ?::bigint OR nano_usd < ?::bigint)`,
    tokens,
    nanoUsd,
    rowDigest(row),
    tokens,
    nanoUsd,
  );
}

interface Begun {
  readonly totals: Amounts;
  readonly now: EpochMs;
}

const ADDED = COLUMN_LIST.map((name) => `${name} = least(${name} + ?::bigint, ${Number.MAX_SAFE_INTEGER})`).join();

/** Adds the same amounts to each of these rows. */
export async function addToRows(tx: Sql, keys: readonly SpendKey[], { amounts, now }: Added): Promise<void> {
  for (const row of keys) {
    const changed = await tx.run(
      `UPDATE coppice.spend SET updated_at = ?, ${ADDED} WHERE ${OF_ROW}`,
      now,
      ...valuesOf(amounts),
      rowDigest(row),
    );
    if (changed === 0) await beginRow(tx, row, { amounts, now });
  }
}

export interface Added {
  readonly amounts: Amounts;
  readonly now: EpochMs;
}

type TotalsRow = Readonly<Record<string, number>> & { readonly row_digest: string };

/** The totals of a session first, then those of the other rows of its account. */
export async function readAccount(sql: Sql, { session, limited }: SpendAccount): Promise<readonly Spend[]> {
  const keys = [session, ...limited];
  const rows = await sql.all<TotalsRow>(
    `SELECT row_digest, ${COLUMN_LIST.join()} FROM coppice.spend WHERE space = :space AND row_digest = ANY (?::text[])`,
    keys.map(rowDigest),
  );
  const known = new Map(rows.map((row) => [row.row_digest, row]));
  return keys.map((key) => spendOf(key, known.get(rowDigest(key))));
}

export async function listScope(sql: Sql, scope: Scope): Promise<readonly Spend[]> {
  const rows = await sql.all<TotalsRow & { readonly key: string; readonly period: string }>(
    `SELECT key, period, row_digest, ${COLUMN_LIST.join()} FROM coppice.spend WHERE space = :space AND scope = ?
     ORDER BY period DESC, key`,
    scope,
  );
  return rows.map((row) => spendOf({ scope, key: row.key, period: row.period }, row));
}

/** Nothing was used of a row that is not there. */
function spendOf({ scope, key, period }: SpendKey, row: TotalsRow | undefined): Spend {
  return { scope, key, period, used: ofEachSpent((counter) => row?.[COLUMN_OF[counter]] ?? 0) };
}

function valuesOf(amounts: Amounts): readonly number[] {
  return SPENT_COUNTERS.map((counter) => Math.min(amounts[counter] ?? 0, Number.MAX_SAFE_INTEGER));
}
