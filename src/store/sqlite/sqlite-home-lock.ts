import { Failure } from '../../core/failure.ts';
import type { HomeLock } from '../../core/home-lock.ts';
import { isNoSpace } from '../../core/machine-failure.ts';
import { retryBusy } from '../../platform/sqlite/retry-busy.ts';
import { openLockFile, WITHOUT_SPACE } from './database/open-lock-file.ts';
import { isBusy, translateSqliteError } from './database/sqlite-errors.ts';

/**
 * The lock of a home: an exclusive transaction on a small database of its own. It works on a full disk, because it writes
 * nothing, and no stale lock can stay behind. Who holds it is noted in the session store, for messages only.
 */
export function createHomeLock(path: string, holder: HolderNote): HomeLock {
  return {
    async acquire(purpose, waitMs) {
      const raw = openLockFile(path);
      try {
        await retryBusy(() => raw.exec(`${WITHOUT_SPACE} BEGIN EXCLUSIVE`), {
          deadlineMs: waitMs,
          isBusy,
          onGiveUp: () => locked(path),
        });
        await holder.set(purpose).catch(unlessNoSpace);
      } catch (error) {
        raw.close();
        const failure = translateSqliteError(error, path);
        throw failure instanceof Failure && failure.code === 'locked' ? await named(failure, holder) : failure;
      }
      return { [Symbol.dispose]: () => void raw.close() };
    },
  };
}

/** A message that names nobody is better than no way to make room. */
function unlessNoSpace(error: unknown): void {
  if (!isNoSpace(error)) throw error;
}

export interface HolderNote {
  set(purpose: string): Promise<void>;
  get(): Promise<string | undefined>;
}

function locked(path: string): Failure {
  return new Failure('locked', `Another process is changing what this home keeps (${path}).`, {
    hint: 'Wait until it is done, then try again. What was done shows: coppice runs list',
  });
}

async function named(failure: Failure, holder: HolderNote): Promise<Failure> {
  const who = await holder.get();
  if (who === undefined) return failure;
  return new Failure('locked', `Another process is changing what this home keeps: ${who}.`, {
    ...(failure.hint !== undefined && { hint: failure.hint }),
    cause: failure,
  });
}
