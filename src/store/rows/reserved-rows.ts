import type { Reserved, Scope, Spend, SpendKey } from '../../core/gateway/gateway.ts';
import type { Reservation } from '../../core/gateway/spend-book.ts';
import type { UsageReport } from '../../core/sessions/session.ts';
import { MINUTE_MS } from '../../core/time.ts';

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

/** The totals with what others than the one who asks have set aside of each. */
export function besideReserved(
  spent: readonly Spend[],
  all: readonly ReservedRow[],
  asking?: Reservation,
): readonly Spend[] {
  const others = asking === undefined ? all : all.filter(([, , , , , , , id]) => id !== asking.id);
  if (others.length === 0) return spent;
  return spent.map((spend) => ({ ...spend, reserved: reservedOf(others, spend) }));
}

/** Whether a row is new enough, and says already what it would be changed to from its model on. */
export function isFreshRow(row: ReservedRow, after: readonly (string | number)[], now: number): boolean {
  const [, , ...before] = row;
  return Math.abs(now - row[8]) < FRESH_MS && after.every((value, index) => value === before[index]);
}

/** The rows that a call counts towards, and what is told of it, when its process died before it said what it used. */
export function lostCall({ session, source, model, period, tokens, nanoUsd }: ReservedAmounts): LostCall {
  const keys: readonly SpendKey[] = [
    { scope: 'session', key: session, period: '' },
    { scope: 'source', key: source, period },
    { scope: 'day', key: '', period },
    ...(model === '' ? [] : [{ scope: 'model' as const, key: model, period }]),
  ];
  return { keys, usage: { model: model === '' ? 'unknown' : model, inputTokens: tokens, costUsd: nanoUsd / 1e9 } };
}

interface LostCall {
  readonly keys: readonly SpendKey[];
  readonly usage: UsageReport;
}

/** A row of what is set aside, its values in this order. */
export type ReservedRow = readonly [
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

export function amountsOf([session, source, model, period, tokens, nanoUsd, isCall]: ReservedRow): ReservedAmounts {
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

/** Whose what is set aside is, by the rows that it counts towards. */
export function namesIn(keys: readonly SpendKey[]): { source: string; model: string; period: string } {
  const keyOf = (scope: Scope) => keys.find((row) => row.scope === scope)?.key ?? '';
  const period = keys.find(({ scope }) => scope !== 'session')?.period ?? '';
  return { source: keyOf('source'), model: keyOf('model'), period };
}
