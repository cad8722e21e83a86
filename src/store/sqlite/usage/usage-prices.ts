import type { Database } from 'better-sqlite3';
import type { PriceTokens } from '../../../core/stores/usage-book.ts';
import { NO_USAGE } from '../../../core/sessions/session.ts';
import type { SpentSums } from './spent-sums.ts';
import { type CountsRow, namedTokens, rowCounts } from './token-counts.ts';

/** So many rows are priced in one transaction. */
const PORTION = 500;

/** Prices some of what had no price, inside a transaction. Returns whether there may be more. */
export function pricePortion(db: Database, sums: SpentSums, priceOf: PriceTokens): boolean {
  const known = (name: string) => priceOf(name, NO_USAGE, 'call') !== undefined;
  const models = db.prepare<[], Model>(`SELECT key, name FROM models WHERE
    EXISTS (SELECT 1 FROM calls WHERE model = models.key AND nano_usd IS NULL)
    OR EXISTS (SELECT 1 FROM shares WHERE model = models.key AND nano_usd IS NULL)`);
  let left = PORTION;
  for (const { key, name } of models.all().filter((model) => known(model.name))) {
    left -= priceTable('calls', 'hash', { key, name });
    if (left > 0) left -= priceTable('shares', 'key', { key, name });
    if (left <= 0) return true;
  }
  return false;

  function priceTable(table: 'calls' | 'shares', id: 'hash' | 'key', model: Model): number {
    const rows = db
      .prepare<[number, number], Row>(
        `SELECT ${id} AS id, session, at, input, output, cache_read, cache_write, reasoning, nano_usd
          FROM ${table} WHERE nano_usd IS NULL AND model = ? LIMIT ?`,
      )
      .all(model.key, left);
    const set = db.prepare(`UPDATE ${table} SET nano_usd = ? WHERE ${id} = ?`);
    for (const row of rows) {
      const before = rowCounts(row);
      const of = table === 'calls' ? 'call' : 'several';
      const nanoUsd = priceOf(model.name, namedTokens(before.tokens), of) ?? 0;
      set.run(nanoUsd, row.id);
      const place = { session: row.session, model: model.key, at: row.at };
      sums.takeBack(place, before);
      sums.add(place, { ...before, nanoUsd });
    }
    return rows.length;
  }
}

interface Model {
  readonly key: number;
  readonly name: string;
}

interface Row extends CountsRow {
  readonly id: Buffer | number;
  readonly session: number;
  readonly at: number;
}
