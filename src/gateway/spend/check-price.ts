import { OK, type Verdict } from '../../core/gateway/gateway.ts';
import type { LiveRules } from '../live-state.ts';
import { priceOf } from './price-usage.ts';
import { noPrice } from '../verdict-of.ts';

/** A model that is not known costs nothing as far as anybody here can tell, so no limit in dollars that binds it can be kept. */
export function checkPrice({ spend, prices, requirePrices }: LiveRules, model: string, usedTokens = 0): Verdict {
  const isBound = spend.some(
    ({ scope, key, counter }) => counter === 'nanoUsd' && (scope !== 'model' || key === undefined || key === model),
  );
  if (!isBound || priceOf(model, prices) !== undefined) return OK;
  return noPrice(requirePrices === true ? 'stop' : 'warn', model, usedTokens);
}
