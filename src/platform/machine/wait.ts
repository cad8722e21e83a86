import { setTimeout } from 'node:timers/promises';

/** Waits in real time, for at most 24 days. Rejects with the reason of the signal as soon as that is aborted. */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
