import { describe, expect, it } from 'vitest';
import { aPolicy } from '../../test/support/inventories.ts';
import type { SessionRules } from '../core/retention/policy.ts';
import { AMOUNT_RULES, LIMIT_RULES } from '../core/retention/session-settings.ts';
import { mostLenient, rulesBySource } from './rules-by-source.ts';

const rulesOf = (given: Partial<SessionRules>) => aPolicy(given).sessions;

describe.each(LIMIT_RULES)('the limit $rule', ({ rule, ofConversations }) => {
  it('is off for a source where it is no positive number, and holds otherwise', () => {
    const at = (value: number | undefined) =>
      rulesBySource(aPolicy({ [rule]: 5 }, { bySource: { api: { [rule]: value } } }), { kind: 'policy' })('api')[rule];
    expect([0, -1, Number.NaN, undefined, 7].map(at)).toEqual([undefined, undefined, undefined, undefined, 7]);
  });

  it('is the larger one, or off, in a conversation of several sources, if it is about conversations', () => {
    const join = (a: number | undefined, b: number | undefined) =>
      mostLenient(rulesOf({ [rule]: a }), rulesOf({ [rule]: b }))[rule];
    expect([join(1, 2), join(2, 1), join(1, undefined)]).toEqual(ofConversations ? [2, 2, undefined] : [1, 2, 1]);
  });
});

describe.each(AMOUNT_RULES)('the amount $rule', ({ rule }) => {
  it('keeps more, of two that differ', () => {
    const [less, more] = rule === 'trivialMaxMessages' ? [2, 1] : [1, 2];
    for (const [a, b] of [
      [less, more],
      [more, less],
    ]) {
      expect(mostLenient(rulesOf({ [rule]: a }), rulesOf({ [rule]: b }))[rule]).toBe(more);
    }
  });
});
