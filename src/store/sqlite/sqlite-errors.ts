import { Failure } from '../../core/failure.ts';
import { errorCode } from '../../platform/error-code.ts';

/** True when another connection holds the lock and waiting may help. */
export function isBusy(error: unknown): boolean {
  return (errorCode(error) ?? '').startsWith('SQLITE_BUSY');
}

/** Says in a sentence what SQLite or the file system says in a code. Failures pass through. */
export function translateSqliteError(error: unknown, path: string): Error {
  if (error instanceof Failure) return error;
  const code = errorCode(error) ?? '';
  const known = SENTENCES.find(({ codes }) => codes.some((prefix) => code.startsWith(prefix)));
  if (known === undefined) return error instanceof Error ? error : new Error(String(error));
  return new Failure(known.failure, known.say(path), { hint: known.hint, cause: error });
}

/** The failure for a lock that was not free in time. */
export function lockedTooLong(path: string, waitedMs: number): Failure {
  return new Failure(
    'locked',
    `${path} was busy for ${Math.round(waitedMs / 1000)} s with the writes of another process.`,
    {
      hint: 'Nothing was written. Try again in a moment.',
    },
  );
}

const SENTENCES = [
  {
    codes: ['SQLITE_FULL', 'ENOSPC', 'EDQUOT'],
    failure: 'failed',
    say: (path: string) => `There is no space left on the disk that holds ${path}.`,
    hint: 'Nothing was written. Free some space and try again.',
  },
  {
    codes: ['SQLITE_READONLY', 'EROFS', 'EACCES', 'EPERM', 'SQLITE_CANTOPEN', 'SQLITE_PERM'],
    failure: 'refused',
    say: (path: string) => `${path} cannot be opened for writing.`,
    hint: 'Check who owns the home and whether its disk is mounted read-only, or choose another with --home DIR.',
  },
  {
    codes: ['SQLITE_CORRUPT', 'SQLITE_NOTADB'],
    failure: 'integrity',
    say: (path: string) => `${path} is damaged: SQLite cannot read it.`,
    hint: 'Nothing was changed. Copy the home somewhere safe, then restore state.db from a backup, or import what you exported.',
  },
  {
    codes: ['SQLITE_IOERR', 'EIO', 'EMFILE', 'ENFILE'],
    failure: 'failed',
    say: (path: string) => `The system could not read or write ${path}.`,
    hint: 'What was stored before is safe. Look at the disk and the limit on open files, then try again.',
  },
  {
    codes: ['SQLITE_CONSTRAINT'],
    failure: 'refused',
    say: (path: string) => `Another process wrote the same thing to ${path} at the same time.`,
    hint: 'Nothing was written by this one. Look at what is there, then try again.',
  },
  {
    codes: ['ENOENT', 'ENOTDIR'],
    failure: 'not-found',
    say: (path: string) => `The folder for ${path} does not exist.`,
    hint: 'Choose a home with --home DIR.',
  },
] as const;
