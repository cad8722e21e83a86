import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startTimer } from './start-timer.ts';

describe('startTimer', () => {
  it('calls back once', async () => {
    let calls = 0;
    await new Promise<void>((resolve) => {
      startTimer(1, () => {
        calls += 1;
        resolve();
      });
    });
    expect(calls).toBe(1);
  });

  it('waits for a time that the timers of the system cannot hold, and can be cancelled', async () => {
    let calls = 0;
    const cancel = startTimer(2 ** 31 + 1000, () => (calls += 1));
    await pause(20);
    cancel();
    expect(calls).toBe(0);
  });
});
