import type { UsageDelta } from './usage-meter.ts';

/** What a million tokens of one model cost, in billionths of a dollar. */
export interface ModelPrice extends TokenPrices {
  /** What all tokens of a call cost whose prompt is longer than this. */
  readonly long?: TokenPrices & { readonly aboveTokens: number };
}

export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

export type Prices = ReadonlyMap<string, ModelPrice>;

/** What a model is called that a request does not name. */
export const UNNAMED_MODEL = 'unknown';

const MILLION = 1_000_000n;
/** What is kept in a cache for an hour costs twice the input, and what is kept for five minutes one and a quarter. */
const HOUR_IN_CACHE = 2 / 1.25;

export interface PricedUsage extends UsageDelta {
  /** Of `cacheWriteTokens`, those that are kept for an hour. */
  readonly hourCacheWriteTokens?: number | undefined;
}

/**
 * The price of a model by its name, or by that name without the date of its version. Another model is not guessed from; only that some
 * write `claude-sonnet-4.5` for `claude-sonnet-4-5`.
 */
export function priceOf(model: string, prices: Prices): ModelPrice | undefined {
  return prices.get(model) ?? prices.get(undated(model)) ?? prices.get(modelFamily(model));
}

/** What a model is called whatever its version, and however its name is written. */
export function modelFamily(model: string): string {
  const name = undated(model);
  return name.startsWith('claude-') ? name.replaceAll('.', '-') : name;
}

function undated(model: string): string {
  return model.replace(/[-@](\d{8}|\d{4}-\d\d-\d\d)$/, '');
}

/**
 * What usage costs, in billionths of a dollar: as reported or, if not, by the price of its model; else nothing. Usage of several calls that
 * is told as one is priced as one call: rather too much than too little.
 */
export function priceUsage(usage: PricedUsage, prices: Prices): number {
  const known = priceOf(usage.model, prices);
  if (usage.nanoUsd !== undefined || known === undefined) return usage.nanoUsd ?? 0;
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const price = known.long !== undefined && prompt > known.long.aboveTokens ? known.long : known;
  const reasoning = Math.min(usage.reasoningTokens, usage.outputTokens);
  const forAnHour = Math.min(usage.hourCacheWriteTokens ?? 0, usage.cacheWriteTokens);
  const parts: readonly (readonly [tokens: number, price: number])[] = [
    [usage.inputTokens, price.input],
    [usage.outputTokens - reasoning, price.output],
    [reasoning, price.reasoning],
    [usage.cacheReadTokens, price.cacheRead],
    [usage.cacheWriteTokens - forAnHour, price.cacheWrite],
    [forAnHour, Math.round(price.cacheWrite * HOUR_IN_CACHE)],
  ];
  // Exact until the one division at the end, which rounds to the nearest billionth.
  const total = parts.reduce((sum, [tokens, each]) => sum + BigInt(tokens) * BigInt(each), 0n);
  return Number((total + MILLION / 2n) / MILLION);
}
