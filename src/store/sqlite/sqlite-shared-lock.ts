import { Failure } from '../../core/failure.ts';
import type { SharedLock } from '../../core/shared-lock.ts';
import { retryBusy } from '../../platform/sqlite/retry-busy.ts';
import { openLockFile, WITHOUT_SPACE } from './database/open-lock-file.ts';
import { isBusy, translateSqliteError } from './database/sqlite-errors.ts';

/**
 * A lock made of two small databases: `<path>` is what is shared or held alone, and everyone passes the gate `<path>-gate` on
 * the way in. Whoever wants it alone keeps the gate shut while waiting, so a stream of sharers cannot keep it out for ever.
 * Nothing is ever written, so it works on a full disk.
 */
export function createSharedLock(path: string): SharedLock {
  const gate = `${path}-gate`;
  return {
    async share(waitMs) {
      using _gate = await acquire(gate, 'BEGIN EXCLUSIVE', waitMs);
      // Reading is what takes the shared lock.
      return acquire(path, 'BEGIN; SELECT count(*) FROM sqlite_schema', waitMs);
    },
    async alone(waitMs) {
      const outer = await acquire(gate, 'BEGIN EXCLUSIVE', waitMs);
      try {
        const inner = await acquire(path, 'BEGIN EXCLUSIVE', waitMs);
        return {
          [Symbol.dispose]() {
            inner[Symbol.dispose]();
            outer[Symbol.dispose]();
          },
        };
      } catch (error) {
        outer[Symbol.dispose]();
        throw error;
      }
    },
  };
}

async function acquire(path: string, statements: string, waitMs: number): Promise<Disposable> {
  const raw = openLockFile(path);
  const attempt = () => {
    try {
      raw.exec(`${WITHOUT_SPACE} ${statements}`);
    } catch (error) {
      // A read that found it busy leaves the transaction open.
      if (raw.inTransaction) raw.exec('ROLLBACK');
      throw error;
    }
  };
  try {
    await retryBusy(attempt, { deadlineMs: waitMs, isBusy, onGiveUp: () => locked(path) });
  } catch (error) {
    raw.close();
    throw translateSqliteError(error, path);
  }
  return { [Symbol.dispose]: () => void raw.close() };
}

function locked(path: string): Failure {
  return new Failure('locked', `Another process is using ${path.replace(/-gate$/, '')}.`, {
    hint: 'Wait until it is done, then try again.',
  });
}
