import { describe, expect, it } from 'vitest';
import { wait } from './wait.ts';

describe('wait', () => {
  it('resolves after shorter waits that began at the same time', async () => {
    const order: string[] = [];
    await Promise.all([wait(60).then(() => order.push('long')), wait(1).then(() => order.push('short'))]);
    expect(order).toEqual(['short', 'long']);
  });

  it('rejects with the reason of its signal, without waiting for the end', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const waiting = wait(2 ** 31 - 1, controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('rejects at once when the signal was aborted before', async () => {
    const reason = new Error('too late');
    await expect(wait(2 ** 31 - 1, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('passes the complaint of the timer on when the signal is fine', async () => {
    await expect(wait('soon' as unknown as number)).rejects.toThrow(TypeError);
  });
});
