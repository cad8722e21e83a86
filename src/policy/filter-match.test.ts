import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { aSession } from '../../test/support/inventories.ts';
import { planOf } from '../../test/support/plans.ts';
import type { SessionItem } from '../core/retention/inventory.ts';
import type { PlanRequest, SessionFilter } from '../core/retention/plan.ts';
import { HOUR_MS } from '../core/time.ts';
import { filterMatch, unknownFacts } from './filter-match.ts';

const WORD = fc.constantFrom('a', 'ab', 'b', '');
const NUMBER = fc.constantFrom(0, 1, 2, 5, 1000);
const facts = fc.record(
  { tokens: NUMBER, costUsd: NUMBER, messageCount: NUMBER, provider: WORD, user: WORD, chat: WORD, branch: WORD },
  { requiredKeys: ['messageCount'] },
);
const filters = fc.record(
  {
    minMessages: NUMBER,
    maxMessages: NUMBER,
    minTokens: NUMBER,
    maxTokens: NUMBER,
    minCostUsd: NUMBER,
    maxCostUsd: NUMBER,
    provider: WORD,
    user: WORD,
    chat: WORD,
    branch: WORD,
  },
  { requiredKeys: [] },
);
const session = facts.map((given): SessionItem => aSession('s', given));

describe('a filter', () => {
  it('selects no more with one more condition', () => {
    fc.assert(
      fc.property(session, filters, filters, (item, one, other) => {
        if (filterMatch({ ...one, ...other })(item)) expect(filterMatch(other)(item)).toBe(true);
      }),
    );
  });

  it('selects everything when it says nothing', () => {
    fc.assert(
      fc.property(session, (item) => {
        expect(filterMatch({})(item)).toBe(true);
      }),
    );
  });

  it('includes both ends of a range, and nothing outside', () => {
    fc.assert(
      fc.property(NUMBER, NUMBER, NUMBER, (value, least, most) => {
        const item = aSession('s', { tokens: value, costUsd: value, messageCount: value });
        const inside = value >= least && value <= most;
        expect(filterMatch({ minTokens: least, maxTokens: most })(item)).toBe(inside);
        expect(filterMatch({ minCostUsd: least, maxCostUsd: most })(item)).toBe(inside);
        expect(filterMatch({ minMessages: least, maxMessages: most })(item)).toBe(inside);
      }),
    );
  });

  it.each([
    { minTokens: 0 },
    { maxTokens: 10 },
    { minCostUsd: 0 },
    { maxCostUsd: 10 },
    { provider: '' },
    { user: 'a' },
    { chat: 'a' },
    { branch: 'main' },
    { maxTokens: Number.NaN, minTokens: 0 },
  ] satisfies SessionFilter[])('never selects a session of which nothing of the kind is known: %j', (filter) => {
    expect(filterMatch(filter)(aSession('s'))).toBe(false);
  });

  it('says which facts it needs that a home does not have', () => {
    expect(unknownFacts({ minTokens: 1, branch: 'main' }, ['tokens', 'cost'])).toEqual(['branch']);
    expect(unknownFacts({ maxCostUsd: 1, source: 'cli' }, ['tokens', 'cost'])).toEqual([]);
    expect(unknownFacts({}, [])).toEqual([]);
  });
});

describe('an age from which on', () => {
  const sessions = [aSession('old'), aSession('new', { lastActiveAt: NOW - 30 * HOUR_MS, workdir: '/b' })];
  const reasons = (request: PlanRequest) =>
    Object.fromEntries(planOf({ sessions }, { request }).decisions.map(({ item, reason }) => [item.id, reason]));

  it('leaves out what is older, and is a filter, so no other age limits it', () => {
    const request: PlanRequest = { kind: 'prune', filter: {}, after: NOW - 48 * HOUR_MS, part: 'all' };
    expect(reasons(request)).toEqual({ old: 'not-selected', new: 'keep-last' });
    expect(planOf({ sessions }, { request }).notes[0]).toContain('No age limit is in force');
  });

  it('does not go before the least age', () => {
    const young = [aSession('young', { lastActiveAt: NOW - HOUR_MS })];
    const request: PlanRequest = { kind: 'archive', filter: {}, after: NOW - 2 * HOUR_MS };
    expect(planOf({ sessions: young }, { request }).decisions[0]?.reason).toBe('young');
  });
});
