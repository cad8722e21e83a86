import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { CountedCall, PriceTokens, UsageSession } from '../../../core/stores/usage-book.ts';
import type { ShareRows } from './share-rows.ts';
import type { SpentSums } from './spent-sums.ts';
import { type CountsRow, countsOf, mostOf, namedTokens, rowCounts } from './token-counts.ts';
import type { UsageNames } from './usage-names.ts';
import { TOKEN_COLUMNS } from './usage-schema.ts';

export interface CallRowsParts {
  readonly names: UsageNames;
  readonly sums: SpentSums;
  readonly shares: ShareRows;
  readonly priceOf: PriceTokens;
}

/** Books calls inside a transaction. Returns the earliest moment of those that were new or had grown. */
export type AddCalls = (place: string, session: UsageSession, calls: readonly CountedCall[]) => number | undefined;

export function callRows(db: Database, { names, sums, shares, priceOf }: CallRowsParts): AddCalls {
  const columns = TOKEN_COLUMNS.join();
  const marks = TOKEN_COLUMNS.map(() => '?').join();
  const insert = db.prepare(
    `INSERT INTO calls (hash, session, model, at, ${columns}, nano_usd) VALUES (?, ?, ?, ?, ${marks}, ?) ON CONFLICT DO NOTHING`,
  );
  const find = db.prepare<[Buffer], CallRow>(
    `SELECT session, model, at, ${columns}, nano_usd FROM calls WHERE hash = ?`,
  );
  const grow = db.prepare(
    `UPDATE calls SET ${TOKEN_COLUMNS.map((column) => `${column} = ?`).join()}, nano_usd = ? WHERE hash = ?`,
  );
  const mark = db.prepare('UPDATE sessions SET by_call = 1 WHERE key = ?');

  return (place, session, calls) => {
    const { key, byCall } = names.session(session, place);
    if (!byCall) {
      mark.run(key);
      shares.giveWay(key);
    }
    let earliest: number | undefined;
    for (const call of calls) {
      if (!book(key, session.agent, call)) continue;
      earliest = Math.min(call.at, earliest ?? call.at);
    }
    return earliest;
  };

  function book(session: number, agent: string, call: CountedCall): boolean {
    const hash = createHash('sha256').update(`${agent}:${call.call}`).digest().subarray(0, 16);
    const model = names.model(call.model);
    const priced = (nanoUsd: number | null, tokens: readonly number[]) =>
      nanoUsd ?? priceOf(call.model, namedTokens(tokens), 'call') ?? null;
    const told = countsOf(call);
    const counts = { ...told, nanoUsd: priced(told.nanoUsd, told.tokens) };
    if (insert.run(hash, session, model, call.at, ...counts.tokens, counts.nanoUsd).changes === 1) {
      sums.add({ session, model, at: call.at }, counts);
      return true;
    }
    const row = find.get(hash);
    if (row === undefined) return false;
    const before = rowCounts(row);
    const { tokens } = mostOf(before, told);
    if (tokens.every((count, index) => count === before.tokens[index])) return false;
    const grown = { tokens, nanoUsd: priced(told.nanoUsd, tokens) };
    grow.run(...grown.tokens, grown.nanoUsd, hash);
    sums.takeBack(row, before);
    sums.add(row, grown);
    return true;
  }
}

interface CallRow extends CountsRow {
  readonly session: number;
  readonly model: number;
  readonly at: number;
}
