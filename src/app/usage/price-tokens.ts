import type { PriceTokens } from '../../core/stores/usage-book.ts';
import { priceOf, type Prices, priceUsage } from '../../gateway/spend/price-usage.ts';

/** Prices tokens by a table. Calls that nobody told apart have the usual price: how long the prompt of each was is not known. */
export function priceTokens(prices: Prices): PriceTokens {
  return (model, tokens, of) => {
    const known = priceOf(model, prices);
    if (known === undefined) return undefined;
    const { long, ...usual } = known;
    const price = of === 'call' && long !== undefined ? { ...usual, long } : usual;
    return priceUsage({ ...tokens, model }, new Map([[model, price]]));
  };
}
