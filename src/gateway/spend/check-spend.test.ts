import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Counters, OK, type Scope, type Spend, VERDICT_KINDS } from '../../core/gateway/gateway.ts';
import { COUNTERS, type Counter, ofEachSpent } from '../../core/gateway/limits.ts';
import { checkSize, checkSpend, type SpendRule } from './check-spend.ts';
import { forbids, strictest } from '../strictest.ts';
import { verdictOf } from '../verdict-of.ts';

const ZERO: Counters = ofEachSpent(() => 0);
const SCOPES: readonly Scope[] = ['session', 'source', 'day', 'model'];

const spendOf = (scope: Scope, used: Partial<Counters>, key = 'k'): Spend => {
  return { scope, key, period: '', used: { ...ZERO, ...used } };
};

const aRule = (rule: Partial<SpendRule>): SpendRule => {
  return { scope: 'session', counter: 'tokens', limit: 100, warnAt: 80, onBreach: 'stop', ...rule };
};

describe('checkSpend', () => {
  it.each([
    [79, 'ok'],
    [80, 'warn'],
    [99, 'warn'],
    [100, 'stop'],
    [101, 'stop'],
  ] as const)('answers %i of 100 with %s', (tokens, kind) => {
    expect(checkSpend([aRule({})], [spendOf('session', { tokens })])).toMatchObject({ kind });
  });

  it('counts time that has passed as if it were in the totals', () => {
    const rules = [aRule({}), aRule({ counter: 'wallMs' })];
    const spent = [spendOf('session', { tokens: 60, wallMs: 60 })];
    expect(checkSpend(rules, spent, 39)).toMatchObject({ kind: 'warn' });
    expect(checkSpend(rules, spent, 40)).toMatchObject({ kind: 'stop', causes: [{ rule: 'wallMs', used: 100 }] });
  });

  it('says who used how much of what, and what to do', () => {
    const rules = [aRule({ scope: 'day', counter: 'nanoUsd', limit: 5e9, warnAt: 4e9 })];
    expect(checkSpend(rules, [spendOf('day', { nanoUsd: 5_010_000_000 })])).toEqual({
      kind: 'stop',
      causes: [{ rule: 'nanoUsd', scope: 'day', used: 5_010_000_000, limit: 5e9 }],
      say: 'All sessions together have today used $5.01 of $5.00. Stop here and tell the user why.',
    });
  });

  it('applies a rule for one model to that model only', () => {
    const rules = [aRule({ scope: 'model', key: 'large' })];
    expect(checkSpend(rules, [spendOf('model', { tokens: 100 }, 'small')])).toBe(OK);
    expect(checkSpend(rules, [spendOf('model', { tokens: 100 }, 'large')])).toMatchObject({ kind: 'stop' });
  });

  const rules = fc.array(
    fc.record({
      scope: fc.constantFrom(...SCOPES),
      counter: fc.constantFrom(...COUNTERS),
      limit: fc.integer({ min: 1, max: 100 }),
      warnAt: fc.integer({ min: 1, max: 100 }),
      onBreach: fc.constantFrom('warn' as const, 'reset' as const, 'stop' as const),
    }),
  );
  const counters = fc.record(ofEachSpent(() => fc.nat(120)));
  const sizes = fc.record({ messages: fc.nat(120), bytes: fc.nat(120) });
  const spent = fc.tuple(...SCOPES.map((scope) => counters.map((used) => spendOf(scope, used))));

  it('forbids the next step exactly when a limit with a consequence is reached', () => {
    fc.assert(
      fc.property(rules, spent, sizes, (given, totals, size) => {
        const reached = given.some(({ scope, counter, limit, onBreach }) => {
          const spend = totals.find((one) => one.scope === scope);
          const used: Partial<Record<Counter, number>> = { ...spend?.used, ...(scope === 'session' && size) };
          return onBreach !== 'warn' && (used[counter] ?? 0) >= limit;
        });
        expect(forbids(strictest([checkSpend(given, totals), checkSize(given, size)]))).toBe(reached);
      }),
    );
  });

  it('never becomes milder when more is used or another rule is added', () => {
    const strictness = (kind: (typeof VERDICT_KINDS)[number]) => VERDICT_KINDS.indexOf(kind);
    fc.assert(
      fc.property(rules, rules, spent, counters, fc.nat(120), (some, others, totals, more, ms) => {
        const less = strictness(checkSpend(some, totals).kind);
        const added = totals.map(({ used, ...row }) => {
          return { ...row, used: ofEachSpent((counter) => used[counter] + more[counter]) };
        });
        expect(strictness(checkSpend(some, added).kind)).toBeGreaterThanOrEqual(less);
        expect(strictness(checkSpend(some, totals, ms).kind)).toBeGreaterThanOrEqual(less);
        expect(strictness(checkSpend([...some, ...others], totals).kind)).toBeGreaterThanOrEqual(less);
      }),
    );
  });
});

describe('strictest', () => {
  const verdict = fc.constantFrom(...VERDICT_KINDS).map((kind) => {
    const cause = { rule: 'tokens', scope: 'day', used: 1, limit: VERDICT_KINDS.indexOf(kind) } as const;
    return kind === 'ok' ? OK : verdictOf(kind, cause);
  });

  it('takes the strictest kind, whatever the order, and leaves out no cause', () => {
    fc.assert(
      fc.property(fc.array(verdict), (verdicts) => {
        const { kind, causes, say } = strictest(verdicts);
        const highest = Math.max(0, ...verdicts.map((one) => VERDICT_KINDS.indexOf(one.kind)));
        expect(kind).toBe(VERDICT_KINDS[highest]);
        const limits = causes.map(({ limit }) => limit);
        expect(limits).toEqual(
          verdicts.flatMap((one) => one.causes.map(({ limit }) => limit)).toSorted((a, b) => b - a),
        );
        expect(say.match(/today used/g) ?? []).toHaveLength(causes.length);
        expect(say.match(/Try|Finish|A fresh|Stop/g) ?? []).toHaveLength(kind === 'ok' ? 0 : 1);
        expect(strictest(verdicts.toReversed())).toEqual({ kind, causes, say });
      }),
    );
  });
});
