import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { errorCode } from '../../platform/error-code.ts';
import type { TreeEntry } from '../project/diff-trees.ts';
import type { Place } from './worktree-folder.ts';

export const PLAIN = '100644';
export const EXECUTABLE = '100755';
export const LINK = '120000';

/** What stands at a path now: nothing, a file or link as git would record it, or something that git does not save. */
export type Found = TreeEntry | undefined | 'folder' | 'other';

/** Looks at a path and reads its content, so that it can be compared with what a checkpoint holds. */
export async function findEntry({ folder, name }: Place): Promise<Found> {
  if (folder === undefined) return undefined;
  const path = folder.at(name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) return 'folder';
  if (stats.isSymbolicLink()) return { mode: LINK, oid: blobName(readlinkSync(path, 'buffer')) };
  return stats.isFile() ? readFile(path) : 'other';
}

export function sameEntry(found: Found, entry: TreeEntry | undefined): boolean {
  if (found === undefined || entry === undefined) return found === entry;
  return typeof found === 'object' && found.mode === entry.mode && found.oid === entry.oid;
}

/** The same as long as nothing there was changed. */
export function stampOf({ folder, name }: Place): string {
  const stat = folder && lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? 'none' : [stat.ino, stat.mode, stat.size, stat.mtimeNs, stat.ctimeNs].join('-');
}

/** What was changed since it was judged is something that no checkpoint holds. */
export const JUST_CHANGED = 'It was changed at this very moment, so it stays as it is.';

async function readFile(path: Buffer): Promise<Found> {
  try {
    const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return await hashFile(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    // Replaced by a link between the look and the opening.
    if (errorCode(error) !== 'ELOOP') throw error;
    return 'other';
  }
}

const CHUNK_BYTES = 1024 * 1024;

/**
 * Small files are read at once: waiting for each would cost more than reading it. Between the pieces of large ones others get
 * their turn. A file that grows or shrinks meanwhile gets a name that no content has, and so counts as changed.
 */
async function hashFile(handle: number): Promise<TreeEntry> {
  const { size, mode } = fstatSync(handle);
  const hash = createHash('sha1').update(`blob ${size}\0`);
  const buffer = Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES) + 1);
  for (let read = readSync(handle, buffer); read > 0; read = readSync(handle, buffer)) {
    hash.update(buffer.subarray(0, read));
    if (read === buffer.length) await new Promise((resolve) => setImmediate(resolve));
  }
  return { mode: (mode & constants.S_IXUSR) === 0 ? PLAIN : EXECUTABLE, oid: hash.digest('hex') };
}

function blobName(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
