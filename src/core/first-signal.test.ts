import { getEventListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../../test/support/collect-garbage.ts';
import { firstSignal } from './first-signal.ts';

describe('the first of several signals', () => {
  it('is aborted with the first of them, for its reason, and not by the next', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    using first = firstSignal(one.signal, undefined, other.signal);
    expect(first.signal.aborted).toBe(false);
    other.abort('the other');
    one.abort('the one');
    expect(first.signal.reason).toBe('the other');
  });

  it('is aborted from the beginning where one of them was', () => {
    using first = firstSignal(new AbortController().signal, AbortSignal.abort('before'));
    expect(first.signal.reason).toBe('before');
  });

  it('leaves nothing on them once it is let go of', () => {
    const one = new AbortController();
    {
      using _first = firstSignal(one.signal);
      expect(getEventListeners(one.signal, 'abort')).toHaveLength(1);
    }
    expect(getEventListeners(one.signal, 'abort')).toHaveLength(0);
  });

  it('takes no memory for those that are over', () => {
    const long = new AbortController();
    const many = () => {
      for (let count = 0; count < 20_000; count += 1) {
        using _first = firstSignal(long.signal, new AbortController().signal);
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    many();
    const before = many();
    // Less than a pointer for each of them.
    expect(many() - before).toBeLessThan(20_000 * 8);
  });

  it('keeps a time limit that nobody else holds', async () => {
    using first = firstSignal(AbortSignal.timeout(50));
    while (!first.signal.aborted) {
      collectGarbage();
      await setTimeout(10);
    }
    expect(first.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});
