import { join } from 'node:path';
import { Failure } from '../core/failure.ts';
import { createHomeLock } from '../store/sqlite/sqlite-home-lock.ts';

/** One daemon serves a home at a time. The kernel lets go of the lock when its holder dies. */
export async function holdServeLock(homePath: string): Promise<Disposable> {
  const lock = createHomeLock(join(homePath, 'serve.lock.db'), { set: async () => {}, get: async () => undefined });
  try {
    return await lock.acquire('serving', 0);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'locked') throw error;
    throw new Failure('locked', 'This home is served already, by another coppice serve.', {
      hint: 'Use that one, or stop it first. Another home can be served beside it: --home DIR --port N',
      cause: error,
    });
  }
}
