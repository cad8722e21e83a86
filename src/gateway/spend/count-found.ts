import type { FoundCount, FoundTokens } from '../../core/gateway/spend-book.ts';
import { totalTokens } from '../../core/sessions/session.ts';
import { type Prices, priceUsage } from './price-usage.ts';

/** What tokens of a call that an agent wrote down amount to. */
export function countFound(found: FoundTokens & { readonly model: string }, prices: Prices): FoundCount {
  const nanoUsd = priceUsage(found, prices);
  const usage = { ...found, costUsd: nanoUsd / 1e9 };
  return { usage, amounts: { tokens: totalTokens(usage), nanoUsd } };
}
