import type { SpendKey } from '../../core/gateway/gateway.ts';
import type { SpendAccount } from '../../core/gateway/spend-book.ts';
import type { EpochMs } from '../../core/time.ts';
import { ruleApplies, type SpendRule } from './check-spend.ts';
import { localDay, type ZoneOffset } from '../zone-offset.ts';

/** The rows that a session counts towards at one moment. */
export interface SpendScopes extends SpendAccount {
  /** Its source, the day and its model, once that is known. */
  readonly shared: readonly SpendKey[];
}

/** Finds the rows of one session. Days begin at midnight in the zone of the budgets. */
export function createSpendScopes(owner: {
  readonly sessionId: string;
  readonly source: string;
  readonly offsetAt: ZoneOffset;
  readonly rules: readonly SpendRule[];
}): (at: EpochMs, model: string | undefined) => SpendScopes {
  const session: SpendKey = { scope: 'session', key: owner.sessionId, period: '' };
  const find = (period: string, model: string | undefined): SpendScopes => {
    const shared: readonly SpendKey[] = [
      { scope: 'source', key: owner.source, period },
      { scope: 'day', key: '', period },
      ...(model === undefined ? [] : [{ scope: 'model' as const, key: model, period }]),
    ];
    const limited = shared.filter((key) => owner.rules.some((rule) => ruleApplies(rule, key)));
    return { session, shared, limited };
  };
  // Finding the local day costs as much as all other checks, and no day begins within a second.
  let day = { second: Number.NaN, period: '' };
  let last: { readonly period: string; readonly model: string | undefined; readonly scopes: SpendScopes } | undefined;
  return (at, model) => {
    const second = Math.floor(at / 1000);
    if (day.second !== second) day = { second, period: localDay(at, owner.offsetAt) };
    const { period } = day;
    if (last?.period !== period || last.model !== model) last = { period, model, scopes: find(period, model) };
    return last.scopes;
  };
}
