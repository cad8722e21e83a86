import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { errorCode } from '../error-code.ts';
import { temporaryName } from '../leftovers/temporary-name.ts';

/**
 * Creates a directory and the missing ones above it, each 0700 whatever the umask. What exists is left as it is.
 * It is not synced: where a new directory must survive a power cut, sync the one above it.
 */
export function makePrivateDir(path: string): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makePrivateDir(parent);
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    // Another process may have been faster, and that is as good.
    if (errorCode(error) === 'EEXIST' && isDirectory(path)) return;
    throw errorCode(error) === 'EEXIST' ? inTheWay(path, error) : error;
  }
  chmodSync(path, 0o700);
}

/** What a file is to have besides its content; it is private where nothing is said. */
export interface FileFacts {
  readonly mode?: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
}

/** Replaces a file in one step, 0600 unless told otherwise: after a crash it holds the old content or the new, never a part. */
export function writeFileAtomic(
  path: string,
  data: string | Uint8Array | Iterable<string>,
  facts: FileFacts = {},
): void {
  const dir = dirname(path);
  const temporary = join(dir, temporaryName());
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeAndClose(fd, data, facts);
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
  syncDir(dir);
}

/** Makes new, renamed and removed names in a directory survive a power cut. Does nothing where the system has no such call. */
export function syncDir(path: string): void {
  whereSupported(() => {
    const fd = openSync(path, constants.O_RDONLY);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
}

/** The same for a directory that is open. */
export function syncOpenDir(handle: number): void {
  whereSupported(() => fsyncSync(handle));
}

function whereSupported(sync: () => void): void {
  try {
    sync();
  } catch (error) {
    if (!DIRECTORY_SYNC_UNSUPPORTED.has(errorCode(error))) throw error;
  }
}

/** Windows cannot open or sync a directory; some file systems can open it and then refuse. */
const DIRECTORY_SYNC_UNSUPPORTED: ReadonlySet<string | undefined> = new Set(['EPERM', 'EISDIR', 'EINVAL']);

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

function inTheWay(path: string, cause: unknown): Failure {
  return new Failure('refused', `${path} is not a directory, so nothing can be created there.`, {
    hint: `Move ${path} out of the way, or choose another place.`,
    cause,
  });
}

function writeAndClose(fd: number, data: Parameters<typeof writeFileAtomic>[1], { mode, owner }: FileFacts): void {
  try {
    if (owner !== undefined) fchownSync(fd, owner.uid, owner.gid);
    // The umask may have taken bits away from the mode that `open` was given.
    fchmodSync(fd, mode ?? 0o600);
    const pieces = typeof data === 'string' || data instanceof Uint8Array ? [data] : data;
    for (const piece of pieces) writeFileSync(fd, piece);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The error that led here says more, and what stays behind has a name that shows what it is.
  }
}
