import { lstatSync } from 'node:fs';
import { rmdir, unlink } from 'node:fs/promises';
import { Failure } from '../core/failure.ts';
import { errorCode } from './error-code.ts';
import { walkTree } from './walk-tree.ts';

/** What `blocks` counts in, whatever the file system. */
const BLOCK_BYTES = 512;
/** Removals that are under way at once: as many as keep the system busy, however many files there are. */
const AT_ONCE = 64;

/**
 * Removes a file, or a folder with all that is in it, and returns what that took on the disk. The disk works while the caller does
 * something else. What is there no more is as good as removed; what is on another file system is refused, and then all of it stays.
 * Nothing goes on behind a failure.
 */
export async function removeTree(path: string): Promise<number> {
  const found = lookThrough(path);
  for (let first = 0; first < found.files.length; first += AT_ONCE) {
    const removals = await Promise.allSettled(found.files.slice(first, first + AT_ONCE).map(gone(unlink)));
    for (const removal of removals) if (removal.status === 'rejected') throw removal.reason;
  }
  for (const folder of found.folders.toReversed()) await gone(rmdir)(folder);
  return found.diskBytes;
}

interface Found {
  readonly files: readonly string[];
  /** Each before those in it. */
  readonly folders: readonly string[];
  readonly diskBytes: number;
}

function lookThrough(path: string): Found {
  const files: string[] = [];
  const folders: string[] = [];
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { files, folders, diskBytes: 0 };
  (stat.isDirectory() ? folders : files).push(path);
  let diskBytes = stat.blocks * BLOCK_BYTES;
  for (const entry of stat.isDirectory() ? walkTree(path) : []) {
    if (entry.kind === 'unreadable') throw notRemoved(path, entry);
    diskBytes += entry.diskBytes;
    (entry.kind === 'dir' ? folders : files).push(`${path}/${entry.path}`);
  }
  return { files, folders, diskBytes };
}

function gone(remove: (path: string) => Promise<void>): (path: string) => Promise<void> {
  return async (path) => {
    try {
      await remove(path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  };
}

/** Such as another file system that somebody mounted inside: what is on it is not ours. */
function notRemoved(place: string, { path, error }: { path: string; error: string }): Failure {
  return new Failure('refused', `${place}/${path} was not removed: ${error.replace(/\.$/, '')}.`, {
    hint: 'It stays where it is until that is settled.',
  });
}
