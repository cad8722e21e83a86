import type { Database } from 'better-sqlite3';
import type { Amounts, Reserved, SpendKey } from '../../../core/gateway/gateway.ts';
import { SPENT_COUNTERS } from '../../../core/gateway/limits.ts';
import type { Clock } from '../../../core/time.ts';
import { COLUMN_LIST, COLUMNS } from './spend-schema.ts';

/** One row of totals. */
export const WHERE = 'WHERE scope = ? AND key = ? AND period = ?';

/** Begins rows of totals and adds to them. */
export function createSpendRows(db: Database, clock: Clock) {
  const insert = db.prepare(`INSERT INTO spend (scope, key, period, updated_at, ${COLUMNS})
    VALUES (?, ?, ?, ?, ${COLUMN_LIST.map(() => '?').join()}) ON CONFLICT DO NOTHING`);
  const added = COLUMN_LIST.map((name) => `${name} = min(${name} + ?, ${Number.MAX_SAFE_INTEGER})`).join();
  const update = db.prepare(`UPDATE spend SET updated_at = ?, ${added} ${WHERE}`);
  const raise = db.prepare(`UPDATE spend SET tokens = max(tokens, ?), nano_usd = max(nano_usd, ?) ${WHERE}
    AND (tokens < ? OR nano_usd < ?)`);
  const takenBack = db.prepare<[string], Reserved>(
    'SELECT ifnull(sum(tokens), 0) AS tokens, ifnull(sum(nano_usd), 0) AS nanoUsd FROM corrections WHERE session = ?',
  );
  const begin = ({ scope, key, period }: SpendKey, totals: Amounts): void => {
    insert.run(scope, key, period, clock.now(), ...valuesOf(totals));
  };
  return {
    begin,
    /** What the session store knows, without what was taken back of it: the store keeps what was reported. */
    beginCorrected(row: SpendKey, totals: Amounts): void {
      const back = takenBack.get(row.key) ?? { tokens: 0, nanoUsd: 0 };
      const tokens = Math.max(0, (totals.tokens ?? 0) - back.tokens);
      const nanoUsd = Math.max(0, (totals.nanoUsd ?? 0) - back.nanoUsd);
      begin(row, { ...totals, tokens, nanoUsd });
      raise.run(tokens, nanoUsd, row.scope, row.key, row.period, tokens, nanoUsd);
    },
    add: (keys: readonly SpendKey[], amounts: Amounts): void => {
      for (const row of keys) {
        const { changes } = update.run(clock.now(), ...valuesOf(amounts), row.scope, row.key, row.period);
        if (changes === 0) begin(row, amounts);
      }
    },
  };
}

export type SpendRows = ReturnType<typeof createSpendRows>;

function valuesOf(amounts: Amounts): readonly number[] {
  return SPENT_COUNTERS.map((counter) => Math.min(amounts[counter] ?? 0, Number.MAX_SAFE_INTEGER));
}
