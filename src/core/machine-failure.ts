import { Failure, type FailureCode } from './failure.ts';

/**
 * What an error of the file system, of SQLite or of the installation means to a person. Undefined when nobody knows.
 * `place` is the file or folder it is about; by default the one that the error itself names.
 */
export function machineFailure(error: unknown, place: string = placeOf(error)): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  if ('syscall' in error && error.syscall === 'uv_cwd') return removedFolder(error);
  const known = SENTENCES.find(({ codes }) => codes.some((prefix) => code.startsWith(prefix)));
  if (known !== undefined) return new Failure(known.failure, known.say(place), { hint: known.hint, cause: error });
  return lacksPart(error, code) ? notInstalled(error) : undefined;
}

function placeOf(error: unknown): string {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : 'the home';
}

/** Node asks where it is by this call, and whatever path is relative needs the answer. */
function removedFolder(cause: Error): Failure {
  return new Failure('usage', 'The folder that you are in was removed.', {
    hint: 'Change to one that is there, for example with: cd ~',
    cause,
  });
}

interface Sentence {
  /** How the codes of such errors begin. */
  readonly codes: readonly string[];
  readonly failure: FailureCode;
  readonly say: (place: string) => string;
  readonly hint: string;
}

/** The last is what SQLite says when there is no room for the memory that processes share. */
const NO_SPACE: readonly string[] = ['SQLITE_FULL', 'ENOSPC', 'EDQUOT', 'SQLITE_IOERR_SHMSIZE'];

/** Whether an error, or what caused it, is a full disk. */
export function isNoSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return NO_SPACE.some((prefix) => code.startsWith(prefix)) || isNoSpace(error.cause);
}

const SENTENCES: readonly Sentence[] = [
  {
    codes: NO_SPACE,
    failure: 'failed',
    say: (place) => `There is no space left on the disk that holds ${place}.`,
    hint: 'What was stored before is safe. See what can go with: coppice plan, and free what is in the trash with: coppice trash empty --all',
  },
  {
    codes: ['SQLITE_READONLY', 'EROFS', 'EACCES', 'EPERM', 'SQLITE_CANTOPEN', 'SQLITE_PERM'],
    failure: 'refused',
    say: (place) => `You may not read or write ${place}, or its disk is read-only.`,
    hint: 'Nothing was changed. Check who owns it, or choose another home with --home DIR.',
  },
  {
    codes: ['SQLITE_CORRUPT', 'SQLITE_NOTADB'],
    failure: 'integrity',
    say: (place) => `SQLite cannot read ${place}: it is damaged.`,
    hint:
      'Nothing was changed. See how much is damaged with: coppice doctor. Copy the home somewhere safe, then put a backup of state.db in its place, or make a new home ' +
      'from the transcripts with: coppice sessions import DAMAGED-HOME/sessions --home NEW-HOME',
  },
  {
    codes: ['SQLITE_BUSY'],
    failure: 'locked',
    say: (place) => `Another process is writing to ${place}.`,
    hint: 'Try again in a moment. What is running shows: coppice sessions list --active',
  },
  {
    codes: ['SQLITE_IOERR', 'EIO', 'EMFILE', 'ENFILE'],
    failure: 'failed',
    say: (place) => `The system could not read or write ${place}.`,
    hint: 'What was stored before is safe. Look at the disk and the limit on open files, then run: coppice doctor',
  },
  {
    codes: ['SQLITE_CONSTRAINT'],
    failure: 'refused',
    say: (place) => `Another process wrote the same thing to ${place} at the same time.`,
    hint: 'Nothing was written by this one. Look at what is there, then try again.',
  },
  {
    codes: ['ENOTDIR'],
    failure: 'refused',
    say: (place) => `Something on the way to ${place} is not a folder.`,
    hint: 'Nothing was changed. Check the path, or choose another home with --home DIR.',
  },
];

/** A package that is not there, or whose compiled part is missing or made for another Node.js. */
function lacksPart(error: Error, code: string): boolean {
  return (
    code === 'ERR_DLOPEN_FAILED' ||
    (code === 'ERR_MODULE_NOT_FOUND' && error.message.startsWith('Cannot find package')) ||
    error.message.startsWith('Could not locate the bindings file')
  );
}

function notInstalled(error: Error): Failure {
  const [, name = 'better-sqlite3'] = /^Cannot find package '([^']+)'/.exec(error.message) ?? [];
  return new Failure('failed', `The package ${name} is not installed, or not for this Node.js.`, {
    hint: `Run: npm rebuild ${name}, or install Coppice again (npm ci in its own folder).`,
    cause: error,
  });
}
