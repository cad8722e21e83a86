import { join } from 'node:path';
import { SECOND_MS } from '../../../core/time.ts';
import { takeHermesLock } from '../hermes-lock.ts';

/**
 * Works on the checkpoints of a Hermes home under the lock that Hermes takes for them. An older Hermes has no such lock, so
 * nothing may rest on it alone. Gives a sentence instead when it cannot be had now.
 */
export async function withCheckpointsLock<T extends object | number>(
  home: string,
  work: () => Promise<T>,
): Promise<T | string> {
  const lock = await takeHermesLock(join(home, '.checkpoints.lock'), LOCK_WAIT_MS);
  if (lock === 'held') return 'Hermes is at work on its checkpoints at the moment. Try again in a minute.';
  if (lock === 'not-possible')
    return 'The lock of Hermes cannot be taken here. Install the program flock, then try again.';
  await using _lock = lock;
  return await work();
}

const LOCK_WAIT_MS = 10 * SECOND_MS;
