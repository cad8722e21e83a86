import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  futimesSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs';
import type { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import { writeAll } from '../../platform/files/write-all.ts';

/** Why nothing can be taken out of a file that sessions share: `what` is in it. Undefined where it can be, or where there is none. */
export function sharedFileObstacle(folder: DirectoryHandle, name: string, what: string): string | undefined {
  const found = folder.look(name);
  if (found === undefined || (found.isFile() && found.nlink === 1)) return undefined;
  return `${name} is a link or has other names, so ${what} cannot be taken out.`;
}

/** What is in a file that sessions share; nothing where there is none. */
export function readShared(folder: DirectoryHandle, name: string): Buffer {
  const isThere = folder.look(name) !== undefined;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  return isThere ? readRegular(folder.at(name), flags) : Buffer.alloc(0);
}

/**
 * Puts a whole new file in place of one that sessions share, with its mode, owner and times; undefined leaves it as it is. Whoever
 * calls holds its lock: what a death left of an earlier attempt is removed.
 */
export function replaceShared(folder: DirectoryHandle, name: string, content: Buffer | undefined): void {
  const next = `${name}.coppice-next`;
  rmSync(folder.at(next), { force: true });
  if (content === undefined) return;
  const before = folder.look(name);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = openSync(folder.at(next), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeAll(handle, content);
    if (before !== undefined) keepFacts(handle, before);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(folder.at(next), folder.at(name));
  folder.sync();
}

/** Its times included: they tell when somebody last wrote to it. */
function keepFacts(handle: number, { mode, uid, gid, atimeMs, mtimeMs }: Stats): void {
  // Only root can give a file away, and only of root would somebody else's file become one that its owner cannot read.
  if (process.getuid?.() === 0) fchownSync(handle, uid, gid);
  fchmodSync(handle, mode & 0o777);
  futimesSync(handle, atimeMs / 1000, mtimeMs / 1000);
}
