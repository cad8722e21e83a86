import type { Database } from 'better-sqlite3';
import type { EpochMs } from '../../../core/time.ts';
import { type Counts, NO_TOKENS, sumOf, totalOf } from './token-counts.ts';
import { TOKEN_COLUMNS } from './usage-schema.ts';

/** Days as the person has them who asks. */
export interface LocalDays {
  /** The time zone, such as `Europe/Berlin`. */
  readonly zone: string;
  readonly dayOf: (at: EpochMs) => string;
}

export interface SpentPlace {
  readonly session: number;
  readonly model: number;
  readonly at: EpochMs;
}

interface Sum {
  readonly session: number;
  readonly model: number;
  readonly day: string;
  tokens: readonly number[];
  nanoUsd: number;
  unpriced: number;
}

/** Gathers what changes in one transaction, so that each day of a session is written once. */
export class SpentSums {
  readonly #db: Database;
  readonly #days: LocalDays;
  readonly #sums = new Map<string, Sum>();

  constructor(db: Database, days: LocalDays) {
    this.#db = db;
    this.#days = days;
  }

  add(place: SpentPlace, { tokens, nanoUsd }: Counts): void {
    const sum = this.#at(place);
    sum.tokens = sumOf(sum.tokens, tokens);
    if (nanoUsd === null) sum.unpriced += totalOf(tokens);
    else sum.nanoUsd += nanoUsd;
  }

  takeBack(place: SpentPlace, { tokens, nanoUsd }: Counts): void {
    this.add(place, { tokens: tokens.map((count) => -count), nanoUsd: nanoUsd === null ? null : -nanoUsd });
  }

  /** The transaction was given up. */
  clear(): void {
    this.#sums.clear();
  }

  /** Belongs into the transaction of what was added. */
  write(): void {
    const columns = [...TOKEN_COLUMNS, 'nano_usd', 'unpriced'];
    const upsert = this.#db.prepare(`INSERT INTO spent (session, model, day, ${columns.join()})
      VALUES (?, ?, ?, ${columns.map(() => '?').join()})
      ON CONFLICT DO UPDATE SET ${columns.map((column) => `${column} = ${column} + excluded.${column}`).join()}`);
    for (const { session, model, day, tokens, nanoUsd, unpriced } of this.#sums.values())
      upsert.run(session, model, day, ...tokens, nanoUsd, unpriced);
    this.#sums.clear();
  }

  #at({ session, model, at }: SpentPlace): Sum {
    const day = this.#days.dayOf(at);
    const key = `${session} ${model} ${day}`;
    const known = this.#sums.get(key);
    if (known !== undefined) return known;
    const sum = { session, model, day, tokens: NO_TOKENS, nanoUsd: 0, unpriced: 0 };
    this.#sums.set(key, sum);
    return sum;
  }
}

/** Days begin elsewhere in another time zone, so all of them are added up anew. Belongs into a transaction. */
export function keepDays(db: Database, days: LocalDays): void {
  if (db.prepare<[], string>(`SELECT value FROM meta WHERE key = 'zone'`).pluck().get() === days.zone) return;
  db.function('local_day', { deterministic: true }, (at) => days.dayOf(Number(at)));
  const sums = TOKEN_COLUMNS.map((column) => `sum(${column})`).join();
  const columns = TOKEN_COLUMNS.join();
  const total = TOKEN_COLUMNS.slice(0, -1).join(' + ');
  db.exec(`DELETE FROM spent;
    INSERT INTO spent SELECT session, model, local_day(at) AS day, ${sums}, coalesce(sum(nano_usd), 0),
        sum(CASE WHEN nano_usd IS NULL THEN ${total} ELSE 0 END)
      FROM (SELECT session, model, at, ${columns}, nano_usd FROM calls
        UNION ALL SELECT session, model, at, ${columns}, nano_usd FROM shares)
      GROUP BY session, model, day`);
  db.prepare(`INSERT OR REPLACE INTO meta VALUES ('zone', ?)`).run(days.zone);
}
