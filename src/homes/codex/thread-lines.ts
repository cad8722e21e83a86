import { closeSync, constants, fstatSync, readSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { SECOND_MS } from '../../core/time.ts';
import type { SharedPart } from '../../keeping/file-home/file-agent.ts';
import { linesPart } from '../../keeping/shared-lines/lines-part.ts';
import { appendDurably } from '../../platform/files/append-durably.ts';
import type { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { holdLockSoon } from '../../platform/files/hold-lock-soon.ts';
import { openRegular } from '../../platform/files/open-regular.ts';
import { runningPrograms } from '../../platform/machine/running-programs.ts';
import { wait } from '../../platform/machine/wait.ts';
import { NAMES } from './thread-names.ts';

const HISTORY = 'history.jsonl';

/** The names that people gave to threads. Codex rewrites them as well, under the lock of a file beside them. */
export const threadNameLines: SharedPart = linesPart({
  name: 'thread-names',
  file: NAMES,
  keys: { owner: 'id', time: 'updated_at' },
  locked: (home, act) => underLock(home, `${NAMES}.lock`, act),
});

/** What people typed, of all threads in one file. Codex locks the file itself while it adds to it. */
export const promptLines: SharedPart = linesPart({
  name: 'prompt-history',
  file: HISTORY,
  keys: { owner: 'session_id', time: 'ts' },
  locked: withPrompts,
});

const PATIENCE_MS = 5 * SECOND_MS;

/** A version that has no such lock has no such file, and writes its lines in one piece. */
async function underLock<T>(home: DirectoryHandle, name: string, act: () => T): Promise<T> {
  const lock = await holdLockSoon(home.at(name), PATIENCE_MS);
  if (lock === 'absent') return act();
  if (typeof lock === 'string')
    throw new Failure('locked', `The lock ${name} of Codex cannot be taken.`, {
      hint: 'Nothing of it was changed. Try again when Codex is idle.',
    });
  try {
    return act();
  } finally {
    lock[Symbol.dispose]();
  }
}

/**
 * A Codex that has opened the file and waits for its lock adds its line to the file that it opened, also where another one has taken
 * its place by then. Such a line is found there, and follows.
 */
async function withPrompts<T>(home: DirectoryHandle, act: () => T): Promise<T> {
  if (home.look(HISTORY) === undefined) return act();
  const opened = openRegular(home.at(HISTORY), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    let length = 0;
    const result = await underLock(home, HISTORY, () => {
      length = fstatSync(opened).size;
      return act();
    });
    if (fstatSync(opened).nlink === 0) {
      if (mayBeAwaited()) await wait(LATE_MS);
      const late = readFrom(opened, length);
      if (late !== '') await underLock(home, HISTORY, () => appendDurably(home.at(HISTORY), late));
    }
    return result;
  } finally {
    closeSync(opened);
  }
}

/** Codex asks for a lock that it did not get ten times a second. */
const LATE_MS = 250;

/** Whether a Codex runs. Where the system does not tell, one may. */
function mayBeAwaited(): boolean {
  return process.platform !== 'linux' || runningPrograms().some(({ name }) => name.startsWith('codex'));
}

function readFrom(handle: number, from: number): string {
  const buffer = Buffer.alloc(Math.max(0, fstatSync(handle).size - from));
  const read = buffer.length === 0 ? 0 : readSync(handle, buffer, 0, buffer.length, from);
  return buffer.toString('utf8', 0, read);
}
