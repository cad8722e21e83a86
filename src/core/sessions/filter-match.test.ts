import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aSession } from '../../../test/support/inventories.ts';
import type { SessionItem } from '../retention/inventory.ts';
import { filterMatch, unknownFacts } from './filter-match.ts';
import type { SessionFilter } from './session-filters.ts';

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

  it('means a folder and what is below it by its project, and no folder whose name begins alike', () => {
    const inProject = (workdir: string, project: string) => filterMatch({ project })(aSession('s', { workdir }));
    expect(['/a', '/a/b', '/a/b/c', '/ab', '/', '/A'].map((workdir) => inProject(workdir, '/a'))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(['/', '/a'].map((workdir) => inProject(workdir, '/'))).toEqual([true, true]);
    expect(filterMatch({ project: '/a' })(aSession('s'))).toBe(false);
  });

  it('means all of its tags, and pinned or not', () => {
    const item = aSession('s', { tags: ['work', 'urgent'], pinned: true });
    expect(filterMatch({ tags: ['work'] })(item)).toBe(true);
    expect(filterMatch({ tags: ['work', 'urgent'] })(item)).toBe(true);
    expect(filterMatch({ tags: ['work', 'wor'] })(item)).toBe(false);
    expect(filterMatch({ tags: [] })(item)).toBe(true);
    expect([true, false].map((pinned) => filterMatch({ pinned })(item))).toEqual([true, false]);
  });

  it('says which facts it needs that a home does not have', () => {
    expect(unknownFacts({ minTokens: 1, branch: 'main' }, ['tokens', 'cost'])).toEqual(['branch']);
    expect(unknownFacts({ maxCostUsd: 1, source: 'cli' }, ['tokens', 'cost'])).toEqual([]);
    expect(unknownFacts({}, [])).toEqual([]);
  });
});
