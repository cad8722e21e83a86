import { wait } from '../machine/wait.ts';

/** Random waits between tries, so that processes that collided once do not collide again. */
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 100;

export interface RetryBusyOptions {
  /** How long to keep trying, from the first try on. */
  readonly deadlineMs: number;
  readonly isBusy: (error: unknown) => boolean;
  /** What to throw when it stayed busy until the deadline. */
  readonly onGiveUp: (waitedMs: number) => Error;
}

/** Tries until it succeeds, fails for another reason than being busy, or the deadline has passed. */
export async function retryBusy<T>(attempt: () => T, options: RetryBusyOptions): Promise<T> {
  const { deadlineMs, isBusy, onGiveUp } = options;
  const startedAt = performance.now();
  for (let ceilingMs = FIRST_WAIT_MS; ; ceilingMs = Math.min(ceilingMs * 2, LONGEST_WAIT_MS)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    const waitedMs = performance.now() - startedAt;
    if (waitedMs >= deadlineMs) throw onGiveUp(waitedMs);
    await wait(Math.min(Math.random() * ceilingMs, deadlineMs - waitedMs));
  }
}
