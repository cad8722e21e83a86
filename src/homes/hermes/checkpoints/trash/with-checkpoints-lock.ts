import { join } from 'node:path';
import { withHermesLock } from '../../taking/hermes-lock.ts';

/**
 * Works on the checkpoints of a Hermes home under the lock that Hermes takes for them. An older Hermes has no such lock, so
 * nothing may rest on it alone. Gives a sentence instead when it cannot be had now.
 */
export function withCheckpointsLock<T extends object | number>(
  home: string,
  work: () => Promise<T>,
): Promise<T | string> {
  return withHermesLock(join(home, '.checkpoints.lock'), 'Hermes is at work on its checkpoints at the moment.', work);
}
