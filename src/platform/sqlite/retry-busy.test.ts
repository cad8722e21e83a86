import { describe, expect, it } from 'vitest';
import { type RetryBusyOptions, retryBusy } from './retry-busy.ts';

class Busy extends Error {}

describe('retryBusy', () => {
  it('returns what the first try gives', async () => {
    const tries = busyFor(0);
    expect(await retryBusy(tries.attempt, options(1000))).toBe('done');
    expect(tries.count()).toBe(1);
  });

  it('tries again while it is busy', async () => {
    const tries = busyFor(4);
    expect(await retryBusy(tries.attempt, options(60_000))).toBe('done');
    expect(tries.count()).toBe(5);
  });

  it('lets others run between tries', async () => {
    let freed = false;
    setImmediate(() => {
      freed = true;
    });
    await retryBusy(() => {
      if (!freed) throw new Busy();
    }, options(60_000));
    expect(freed).toBe(true);
  });

  it('throws any other error at once', async () => {
    let count = 0;
    const broken = () => {
      count++;
      throw new Error('broken');
    };
    await expect(retryBusy(broken, options(60_000))).rejects.toThrow('broken');
    expect(count).toBe(1);
  });

  it('gives up at the deadline with the error of the caller', async () => {
    const tries = busyFor(Number.POSITIVE_INFINITY);
    await expect(retryBusy(tries.attempt, options(40))).rejects.toThrow('gave up, waited enough: true');
    expect(tries.count()).toBeGreaterThan(1);
  });

  it('tries once when there is no time at all', async () => {
    const tries = busyFor(Number.POSITIVE_INFINITY);
    await expect(retryBusy(tries.attempt, options(0))).rejects.toThrow('gave up');
    expect(tries.count()).toBe(1);
  });
});

function options(deadlineMs: number): RetryBusyOptions {
  return {
    deadlineMs,
    isBusy: (error) => error instanceof Busy,
    onGiveUp: (waitedMs) => new Error(`gave up, waited enough: ${waitedMs >= deadlineMs}`),
  };
}

function busyFor(times: number): { attempt: () => string; count: () => number } {
  let count = 0;
  const attempt = () => {
    count++;
    if (count <= times) throw new Busy();
    return 'done';
  };
  return { attempt, count: () => count };
}
