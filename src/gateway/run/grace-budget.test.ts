import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpendRule } from '../spend/check-spend.ts';
import type { GuardRules } from '../guards.ts';
import { createGraceBudget, type GraceAmounts, hardLimits } from './grace-budget.ts';

const NOTHING: GraceAmounts = { tokens: 0, nanoUsd: 0, messages: 0, bytes: 0 };
const UNLIMITED: GraceAmounts = { tokens: Infinity, nanoUsd: Infinity, messages: Infinity, bytes: Infinity };

describe('the budget of the grace', () => {
  it('counts from the request to end, whatever was used before', async () => {
    let used = { ...NOTHING, tokens: 1_000_000 };
    const grace = createGraceBudget({ percent: 10, limits: { ...UNLIMITED, tokens: 5000 }, used: async () => used });
    expect(await grace.usedUp()).toBe(false);
    grace.begin();
    used = { ...used, tokens: 1_000_499 };
    grace.begin();
    expect(await grace.usedUp()).toBe(false);
    used = { ...used, tokens: 1_000_500 };
    expect(await grace.usedUp()).toBe(true);
  });

  it('is used up by the first thing that takes as much as its share of one limit, and never without one', async () => {
    const counters = ['tokens', 'nanoUsd', 'messages', 'bytes'] as const;
    const amount = fc.integer({ min: 1, max: 1_000_000 });
    const any = fc.record({
      counter: fc.constantFrom(...counters),
      limit: amount,
      percent: fc.integer({ min: 1, max: 100 }),
      added: amount,
    });
    await fc.assert(
      fc.asyncProperty(any, async ({ counter, limit, percent, added }) => {
        let used = NOTHING;
        const budget = (limits: GraceAmounts) => createGraceBudget({ percent, limits, used: async () => used });
        const [limited, unlimited] = [budget({ ...UNLIMITED, [counter]: limit }), budget(UNLIMITED)];
        for (const grace of [limited, unlimited]) grace.begin();
        expect(await limited.usedUp()).toBe(false);
        used = { ...NOTHING, [counter]: added };
        expect(await limited.usedUp()).toBe(added >= (limit * percent) / 100);
        expect(await unlimited.usedUp()).toBe(false);
      }),
    );
  });

  it('goes by the smallest limit that stops, of a budget or a guard, and not by one that only warns', () => {
    const rule = { scope: 'session', warnAt: 1, onBreach: 'stop', counter: 'tokens' } as const;
    const spend: readonly SpendRule[] = [
      { ...rule, limit: 900 },
      { ...rule, scope: 'day', limit: 700 },
      { ...rule, limit: 10, onBreach: 'warn' },
      { ...rule, counter: 'messages', limit: 40, onBreach: 'reset' },
    ];
    const guards = {
      'tokens-per-minute': { warn: 1, stop: 800 },
      'tokens-per-hour': { stop: 1800 },
      'messages-per-minute': { stop: 30 },
      'bytes-per-minute': {},
    } as GuardRules;
    expect(hardLimits({ spend, guards })).toEqual({ ...UNLIMITED, tokens: 700, messages: 30 });
  });
});
