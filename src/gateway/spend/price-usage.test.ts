import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Prices, priceOf, priceUsage } from './price-usage.ts';
import type { UsageDelta } from './usage-meter.ts';

const usd = (dollars: number) => Math.round(dollars * 1e9);

/** 3, 15, 0.3, 3.75 and 20 dollars for a million tokens. */
const PRICES: Prices = new Map([
  ['m', { input: usd(3), output: usd(15), cacheRead: usd(0.3), cacheWrite: usd(3.75), reasoning: usd(20) }],
]);

const used = (usage: Partial<UsageDelta>): UsageDelta => {
  return {
    model: 'm',
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    ...usage,
  };
};

describe('priceOf', () => {
  it('knows a model without its date, and with a dot for a dash, and guesses from no other', () => {
    const price = PRICES.get('m');
    const prices: Prices = new Map([['claude-x-4-5', price as NonNullable<typeof price>]]);
    for (const name of ['claude-x-4-5', 'claude-x-4-5-20260101', 'claude-x-4.5', 'claude-x-4.5@2026-01-01']) {
      expect(priceOf(name, prices)).toBe(price);
    }
    for (const name of ['claude-x-4', 'claude-x-4-6', 'other-x-4.5', '']) expect(priceOf(name, prices)).toBeUndefined();
  });
});

describe('priceUsage', () => {
  it.each([
    ['input', { inputTokens: 1_000_000 }, 3],
    ['output', { outputTokens: 1_000_000 }, 15],
    ['reasoning, which is part of the output', { outputTokens: 1_000_000, reasoningTokens: 400_000 }, 9 + 8],
    ['cache reads', { cacheReadTokens: 1_000_000 }, 0.3],
    ['cache writes', { cacheWriteTokens: 1_000_000 }, 3.75],
    ['all together', { inputTokens: 10, outputTokens: 20, cacheReadTokens: 1000, cacheWriteTokens: 100 }, 0.001005],
  ])('prices %s', (_, usage, dollars) => {
    expect(priceUsage(used(usage), PRICES)).toBe(usd(dollars));
  });

  it('prices all of a call by another price when its prompt is long, caches included', () => {
    const each = { input: usd(1), output: usd(2), cacheRead: usd(1), cacheWrite: usd(1), reasoning: usd(2) };
    const long = { input: usd(10), output: usd(20), cacheRead: usd(10), cacheWrite: usd(10), reasoning: usd(20) };
    const prices: Prices = new Map([['m', { ...each, long: { ...long, aboveTokens: 1000 } }]]);
    const prompt = { inputTokens: 200, cacheReadTokens: 300, cacheWriteTokens: 500, outputTokens: 2_000_000 };
    expect(priceUsage(used(prompt), prices)).toBe(usd(4.001));
    expect(priceUsage(used({ ...prompt, cacheWriteTokens: 501 }), prices)).toBe(usd(40.01001));
  });

  it('prices what a cache keeps for an hour as twice the input where five minutes are one and a quarter', () => {
    const written = { cacheWriteTokens: 3_000_000, hourCacheWriteTokens: 1_000_000 };
    expect(priceUsage({ ...used(written), ...written }, PRICES)).toBe(usd(2 * 3.75 + 6));
    // A part is never more than the whole.
    expect(priceUsage({ ...used({ cacheWriteTokens: 10 }), hourCacheWriteTokens: 1000 }, PRICES)).toBe(60_000);
  });

  it('believes a reported cost, zero included, rather than the prices', () => {
    expect(priceUsage(used({ inputTokens: 1000, nanoUsd: 0 }), PRICES)).toBe(0);
    expect(priceUsage(used({ inputTokens: 1000, nanoUsd: 5 }), PRICES)).toBe(5);
  });

  it('charges nothing for a model without a price', () => {
    expect(priceUsage(used({ model: 'constructor', inputTokens: 1000 }), PRICES)).toBe(0);
  });

  it('is exact for amounts that floating point cannot hold', () => {
    expect(priceUsage(used({ inputTokens: 333_333_333_333 }), PRICES)).toBe(999_999_999_999_000);
    expect(
      priceUsage(used({ cacheReadTokens: 3 }), new Map([['m', { ...PRICES.get('m')!, cacheRead: 500_000 }]])),
    ).toBe(2);
  });

  it('differs from the price of the parts by at most the rounding of each part', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 20 }), (parts) => {
        const whole = priceUsage(used({ cacheReadTokens: parts.reduce((a, b) => a + b) }), PRICES);
        const sum = parts.reduce((total, part) => total + priceUsage(used({ cacheReadTokens: part }), PRICES), 0);
        expect(Math.abs(whole - sum)).toBeLessThanOrEqual(parts.length);
      }),
    );
  });
});
