import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import { addToRate, NO_RATE, recent } from './rate.ts';

const after = (events: readonly (readonly [at: number, amount: number])[]) =>
  events.reduce((rate, [at, amount]) => addToRate(rate, at, amount), NO_RATE);

describe('a rate', () => {
  it('is what came within the last minute', () => {
    const rate = after([
      [NOW, 5],
      [NOW + 30 * SECOND_MS, 7],
    ]);
    expect(recent(rate, NOW + 30 * SECOND_MS)).toBe(12);
    expect(recent(rate, NOW + MINUTE_MS)).toBe(7);
    expect(recent(rate, NOW + HOUR_MS)).toBe(0);
  });

  it('is never more than what came within a minute, and never less than what came within 55 seconds', () => {
    const gaps = fc.array(fc.tuple(fc.nat(20 * SECOND_MS), fc.nat(100)), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: NOW }), gaps, fc.nat(70 * SECOND_MS), (start, steps, wait) => {
        let at = start;
        const events = steps.map(([gap, amount]) => [(at += gap), amount] as const);
        const now = at + wait;
        const within = (ms: number) =>
          events.filter(([when]) => when > now - ms).reduce((sum, [, amount]) => sum + amount, 0);
        const rate = after(events);
        expect(recent(rate, now)).toBeLessThanOrEqual(within(MINUTE_MS));
        expect(recent(rate, now)).toBeGreaterThanOrEqual(within(55 * SECOND_MS));
        expect(rate.buckets).toHaveLength(NO_RATE.buckets.length);
      }),
    );
  });

  it('accuses nobody of what came before a clock went far back', () => {
    const ahead = after([[NOW + HOUR_MS, 1000]]);
    expect(recent(ahead, NOW)).toBe(0);
    expect(recent(addToRate(ahead, NOW, 3), NOW)).toBe(3);
  });

  it('goes on counting when a clock went back a little', () => {
    const rate = addToRate(after([[NOW, 5]]), NOW - 10 * SECOND_MS, 3);
    expect(recent(rate, NOW - 10 * SECOND_MS)).toBe(8);
    expect(recent(rate, NOW + MINUTE_MS)).toBe(0);
  });
});
