import { Failure } from '../../../core/failure.ts';
import { machineFailure } from '../../../core/machine-failure.ts';
import { errorCode } from '../../../platform/error-code.ts';

/** What better-sqlite3 says to whoever goes on after the end. */
const NOT_OPEN = 'The database connection is not open';

/** True when another connection holds the lock and waiting may help. */
export function isBusy(error: unknown): boolean {
  return (errorCode(error) ?? '').startsWith('SQLITE_BUSY');
}

/** Says in a sentence what SQLite or the file system says in a code. Failures pass through. */
export function translateSqliteError(error: unknown, path: string): Error {
  if (error instanceof Failure) return error;
  if (error instanceof TypeError && error.message === NOT_OPEN) return closedHome();
  if (errorCode(error) === 'ENOENT') {
    const hint = 'Choose a home with --home DIR.';
    return new Failure('not-found', `The folder for ${path} does not exist.`, { hint, cause: error });
  }
  return machineFailure(error, path) ?? (error instanceof Error ? error : new Error(String(error)));
}

export interface BookFacts {
  readonly path: string;
  /** How long it waits for others who write. */
  readonly waitsMs: number;
  /** What is lost without it, and how to get a new one where it is damaged. */
  readonly remedy: string;
}

/** Does something with a small database that can be made anew, and says in a sentence what went wrong. */
export function withBook<T>({ path, waitsMs, remedy }: BookFacts, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isBusy(error)) throw lockedTooLong(path, waitsMs);
    const failure = translateSqliteError(error, path);
    if (!(failure instanceof Failure) || failure.code !== 'integrity' || error === failure) throw failure;
    throw new Failure('integrity', failure.message, { hint: remedy, cause: error });
  }
}

/** The failure for a lock that was not free in time. */
export function lockedTooLong(path: string, waitedMs: number): Failure {
  return new Failure(
    'locked',
    `${path} was busy for ${Math.round(waitedMs / 1000)} s with the writes of another process.`,
    { hint: 'Nothing was written. Try again in a moment; what is running shows: coppice sessions list --active' },
  );
}

/** The failure for a small database whose schema is newer than this program. */
export function writtenByNewer(path: string): Failure {
  return new Failure('integrity', `${path} was written by a newer Coppice.`, {
    hint: 'Nothing was changed. Update Coppice: npm install --global coppice',
  });
}

/** The failure for whoever goes on with a home that was closed. */
export function closedHome(): Failure {
  return new Failure('refused', 'This home was closed, so nothing can be read from it or written to it any more.', {
    hint: 'Open it again with openHome(), and close it after the last use.',
  });
}
