import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { MINUTE_MS, SECOND_MS } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { removeBelow } from '../../platform/files/remove-tree.ts';
import { wait } from '../../platform/machine/wait.ts';
import { keptIndex } from '../store/index-cache.ts';
import type { StoreLayout } from '../store/store-layout.ts';

// The index of a project is git's memory of what was saved last: without it, the next take is as slow as the first. Between
// takes it waits in a cache that anybody may remove. While it is in use it is in the store, because git takes an index that
// vanishes for an empty one, and would save a folder without its files. Whoever uses it holds the project's lock.

/** Fetches the index of a project from the cache, if it is there, and puts back what became of it. */
export async function withIndex<T>(layout: StoreLayout, projectId: string, use: () => Promise<T>): Promise<T> {
  const [kept, index] = [keptIndex(layout, projectId), layout.index(projectId)];
  try {
    moveIndex(layout.home, kept, index);
  } catch {
    // There is none, or none within reach. What a killed take left in its place is not to be trusted.
    dropIndex(index);
  }
  try {
    return await use();
  } finally {
    try {
      moveIndex(layout.home, index, kept);
    } catch {
      // There is none any more, or nowhere to keep it: the next take makes it anew.
      dropIndex(index);
    }
  }
}

/** What stands at its new place is of a take that was killed, or of one that was faster. */
function moveIndex(home: string, from: string, to: string): void {
  using source = openBelow(home, dirname(from));
  if (source?.look(basename(from)) === undefined) throw new Failure('not-found', `There is no ${from}.`);
  using target = openBelow(home, dirname(to), { create: true });
  renameSync(source.at(basename(from)), target.at(basename(to)));
}

/** What tells this very state of the index from any other, wherever it was moved; 'none' when there is no index. */
export function indexStamp(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? 'none' : [stat.ino, stat.size, stat.mtimeNs].join('-');
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

/** It lies in a folder of the store. */
export function dropIndex(path: string): void {
  removeBelow(dirname(dirname(path)), [path]);
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
  dropIndex(`${path}.lock`);
}

const LAST_BREATH_MS = 2 * SECOND_MS;
const STEP_MS = 50;
