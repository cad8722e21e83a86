import { wait } from '../machine/wait.ts';
import { type HoldObstacle, holdLock } from '../locks/hold-lock.ts';

/** The same for a lock that others hold for moments only: asks again until it is free, or `withinMs` have passed. */
export async function holdLockSoon(path: string, withinMs: number): Promise<Disposable | HoldObstacle> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const held = holdLock(path);
    if (held !== 'held' || performance.now() >= deadline) return held;
    await wait(RETRY_MS);
  }
}

const RETRY_MS = 50;
