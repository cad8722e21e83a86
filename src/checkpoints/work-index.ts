import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { MINUTE_MS, SECOND_MS } from '../core/time.ts';
import { errorCode } from '../platform/error-code.ts';
import { wait } from '../platform/wait.ts';

// The index of a project is git's memory of what was saved last. It may be thrown away at any time: the next take is then as
// slow as the first. Whoever touches it holds the project's lock.

/** What tells this very state of the index from any other; 'none' when there is no index. */
export function indexStamp(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? 'none' : [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join('-');
}

/** How many files the index holds: the third number of its header. */
export function indexCount(path: string): number {
  const header = Buffer.alloc(12);
  try {
    const file = openSync(path, 'r');
    try {
      return readSync(file, header) === header.length ? header.readUInt32BE(8) : 0;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

export function dropIndex(path: string): void {
  rmSync(path, { force: true });
}

/**
 * Removes the lock that a killed git left on an index. The project's lock is ours, so nobody else may hold it, except for a git
 * whose parent was killed a moment ago: it gets a moment to end.
 */
export async function healIndexLock(path: string, signal?: AbortSignal): Promise<void> {
  const lock = `${path}.lock`;
  for (let waitedMs = 0; waitedMs < LAST_BREATH_MS; waitedMs += STEP_MS) {
    const stat = statSync(lock, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (Date.now() - stat.mtimeMs > MINUTE_MS) break;
    await wait(STEP_MS, signal);
  }
  dropIndexLock(path);
}

export function dropIndexLock(path: string): void {
  rmSync(`${path}.lock`, { force: true });
}

const LAST_BREATH_MS = 2 * SECOND_MS;
const STEP_MS = 50;
