import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { consecutiveErrors, NO_TOOL_ERRORS, toolCalled, toolReturned } from './tool-errors.ts';

type Step = 'call' | 'ok' | 'error';

function countAfter(...steps: readonly Step[]): number {
  const state = steps.reduce((before, step) => {
    return step === 'call' ? toolCalled(before) : toolReturned(before, { name: 'bash', ok: step === 'ok' });
  }, NO_TOOL_ERRORS);
  return consecutiveErrors(state).count;
}

/** One call after the other. */
const inTurn = (...results: readonly ('ok' | 'error')[]) => results.flatMap((result) => ['call', result] as const);
/** All calls first, then the results as they come. */
const sideBySide = (...results: readonly ('ok' | 'error')[]) => [...results.map(() => 'call' as const), ...results];

describe('consecutive tool errors', () => {
  it('are the errors since the last success when calls come one by one', () => {
    expect(countAfter(...inTurn('error', 'error', 'error'))).toBe(3);
    expect(countAfter(...inTurn('error', 'error', 'ok'))).toBe(0);
    expect(countAfter(...inTurn('error', 'ok', 'error', 'error'))).toBe(2);
  });

  it('are the same when only results are reported', () => {
    expect(countAfter('error', 'error', 'ok', 'error')).toBe(1);
  });

  it('add up over batches in which every call failed', () => {
    expect(countAfter(...sideBySide('error', 'error'), ...sideBySide('error', 'error', 'error'))).toBe(5);
  });

  it('start from the errors of the batch itself when one of its calls succeeded', () => {
    const earlier = inTurn('error', 'error', 'error', 'error');
    expect(countAfter(...earlier, ...sideBySide('error', 'ok', 'error'))).toBe(2);
    expect(countAfter(...earlier, ...sideBySide('ok', 'ok'))).toBe(0);
  });

  it('count a result as it arrives, before its batch is complete', () => {
    expect(countAfter('error', 'call', 'call', 'error')).toBe(2);
    expect(countAfter('error', 'call', 'call', 'ok')).toBe(0);
  });

  it('do not wait for a result that never comes', () => {
    expect(countAfter('call', 'call', 'error', ...inTurn('error', 'error'))).toBe(3);
    expect(countAfter('call', 'call', 'error', ...inTurn('ok', 'error'))).toBe(1);
    expect(countAfter('call', ...inTurn('ok', 'error', 'ok', 'error', 'ok'))).toBe(0);
  });

  const results = fc.array(fc.constantFrom('ok' as const, 'error' as const), { minLength: 1, maxLength: 8 });

  it('do not depend on the order in which the results of a batch arrive', () => {
    fc.assert(
      fc.property(fc.nat(10), results, fc.func(fc.integer()), (before, batch, order) => {
        const earlier = inTurn(...Array.from({ length: before }, () => 'error' as const));
        const shuffled = batch
          .map((result, index) => ({ result, rank: order(index) }))
          .toSorted((a, b) => a.rank - b.rank)
          .map(({ result }) => result);
        expect(countAfter(...earlier, ...sideBySide(...shuffled))).toBe(
          countAfter(...earlier, ...sideBySide(...batch)),
        );
      }),
    );
  });

  it('never exceed all errors there were, and are none after a batch of successes', () => {
    fc.assert(
      fc.property(fc.array(results), (batches) => {
        const steps = batches.flatMap((batch) => sideBySide(...batch));
        const count = countAfter(...steps);
        expect(count).toBeLessThanOrEqual(steps.filter((step) => step === 'error').length);
        expect(countAfter(...steps, ...sideBySide('ok', 'ok'))).toBe(0);
      }),
    );
  });
});
