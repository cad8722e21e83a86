import type { Database } from 'better-sqlite3';
import type { PriceTokens, ToldUsage } from '../../../core/stores/usage-book.ts';
import { type ShareStatements, shareStatements, type ToldRow } from './share-statements.ts';
import type { SpentSums } from './spent-sums.ts';
import {
  type Counts,
  type CountsRow,
  countsOf,
  minus,
  mostOf,
  NO_TOKENS,
  namedTokens,
  rowCounts,
} from './token-counts.ts';
import type { UsageNames } from './usage-names.ts';

/** What homes say of sessions in all. All of it belongs into transactions. */
export interface ShareRows {
  /** Takes down what a place says, and books what is new in it. */
  tell(place: string, told: ToldUsage): void;
  /** Books what a session used beyond what was booked of it, or takes back what was too much. */
  level(session: number, startedAt: number): void;
  /** Takes back what was booked of a session that is told of call by call. */
  giveWay(session: number): void;
}

export interface ShareRowsParts {
  readonly names: UsageNames;
  readonly sums: SpentSums;
  readonly priceOf: PriceTokens;
}

export function shareRows(db: Database, { names, sums, priceOf }: ShareRowsParts): ShareRows {
  const statements = shareStatements(db);
  const level = (session: number, startedAt: number) => {
    if (statements.isByCall.get(session) === 1) return;
    const all = statements.told.all(session, startedAt);
    for (const model of new Set(all.map((row) => row.model)))
      levelModel(
        { statements, sums, priceOf },
        all.filter((row) => row.model === model),
      );
  };
  return {
    level,
    tell(place, told) {
      const { session, startedAt, lastActiveAt, supervised } = told;
      const { key } = names.session(session, place);
      const { tokens, nanoUsd } = countsOf(told);
      const model = names.model(told.model);
      statements.tell.run(place, key, startedAt, model, lastActiveAt, ...tokens, nanoUsd, supervised ? 1 : 0);
      level(key, startedAt);
    },
    giveWay(session) {
      for (const row of statements.shares.all(session)) sums.takeBack(row, rowCounts(row));
      statements.drop.run(session);
    },
  };
}

type Leveling = Omit<ShareRowsParts, 'names'> & { readonly statements: ShareStatements };

/** `all` is what every place says of one model in one session. */
function levelModel({ statements, sums, priceOf }: Leveling, all: readonly ToldRow[]): void {
  const [first] = all;
  if (first === undefined) return;
  const { session, started_at: startedAt, model, name } = first;
  const at = Math.max(...all.map((row) => row.last_active_at));
  const most = all.map(rowCounts).reduce(mostOf);
  const isSupervised = all.some(({ supervised }) => supervised === 1);
  const wanted = isSupervised ? without(most, countsIn(statements.covered.get(session, model))) : most;
  const have = countsIn(statements.booked.get(session, startedAt, model));
  const tokens = minus(wanted.tokens, have.tokens);
  const isSame = tokens.every((count) => count === 0);
  if (isSame && (wanted.nanoUsd === null || wanted.nanoUsd === (have.nanoUsd ?? 0))) return;
  const price = wanted.nanoUsd === null ? priced(priceOf, name, tokens) : wanted.nanoUsd - (have.nanoUsd ?? 0);
  statements.add.run(session, startedAt, model, at, ...tokens, price);
  sums.add({ session, model, at }, { tokens, nanoUsd: price });
}

/** What a supervised agent wrote down itself counts there. */
function without(most: Counts, there: Counts): Counts {
  return {
    tokens: minus(most.tokens, there.tokens).map((count) => Math.max(0, count)),
    nanoUsd: most.nanoUsd === null ? null : Math.max(0, most.nanoUsd - (there.nanoUsd ?? 0)),
  };
}

/** What is taken back is priced as it was booked. */
function priced(priceOf: PriceTokens, model: string, tokens: readonly number[]): number | null {
  const sign = tokens.some((count) => count < 0) ? -1 : 1;
  const price = priceOf(model, namedTokens(tokens.map((count) => Math.max(0, sign * count))), 'several');
  return price === undefined ? null : sign * price;
}

function countsIn(row: CountsRow | undefined): Counts {
  return row === undefined ? { tokens: NO_TOKENS, nanoUsd: null } : rowCounts(row);
}
