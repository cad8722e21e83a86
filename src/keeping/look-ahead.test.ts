import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collect } from '../../test/support/collect.ts';
import { lookAhead } from './look-ahead.ts';

describe('looking ahead', () => {
  it('gives results in order, whichever is ready first', async () => {
    const work = (ms: number) => setTimeout(ms, ms);
    expect(await collect(lookAhead([20, 1, 10, 1], 2, work))).toEqual([20, 1, 10, 1]);
  });

  it('fails in its turn with what failed early, and leaves no failure unheard', async () => {
    const unheard: unknown[] = [];
    const note = (reason: unknown) => void unheard.push(reason);
    process.on('unhandledRejection', note);
    try {
      const work = async (at: number) => {
        if (at === 0) await setTimeout(20);
        else throw new Error(`at ${at}`);
        return at;
      };
      const seen: number[] = [];
      const reading = (async () => {
        for await (const at of lookAhead([0, 1, 2], 2, work)) seen.push(at);
      })();
      await expect(reading).rejects.toThrow('at 1');
      expect(seen).toEqual([0]);
      await setTimeout(5);
      expect(unheard).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});
