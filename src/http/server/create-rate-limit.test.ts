import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimit, type Rate } from './create-rate-limit.ts';

function limit(rate: Rate, now: () => number) {
  const ask = createRateLimit(rate, { now });
  return { ask, allow: (client: string, cost?: number) => ask(client, cost).allowed };
}

describe('createRateLimit', () => {
  it('never lets more through than a full bucket and what flowed in since, whatever the clock does', () => {
    const step = fc.record({ passedMs: fc.integer({ min: -500, max: 2000 }), cost: fc.integer({ min: 1, max: 5 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        let now = 1_000_000;
        let forwardMs = 0;
        let used = 0;
        const { allow } = limit({ burst: 10, perSecond: 4 }, () => now);
        for (const { passedMs, cost } of steps) {
          now += passedMs;
          forwardMs += Math.max(0, passedMs);
          if (allow('a', cost)) used += cost;
        }
        expect(used).toBeLessThanOrEqual(10 + (4 * forwardMs) / 1000 + 1e-6);
      }),
    );
  });

  it('keeps one client from using up what another has', () => {
    const { allow } = limit({ burst: 2, perSecond: 1 }, () => 0);
    expect([allow('a'), allow('a'), allow('a'), allow('b')]).toEqual([true, true, false, true]);
  });

  it('lets a request that costs more than a bucket through when the bucket is full', () => {
    let now = 0;
    const { allow, ask } = limit({ burst: 10, perSecond: 10 }, () => now);
    expect([allow('a', 50), allow('a')]).toEqual([true, false]);
    now = 4_000;
    expect(ask('a')).toEqual({ allowed: false, remaining: 0, waitMs: 100 });
    now = 6_000;
    expect(allow('a')).toBe(true);
  });
});
