import { fstatSync, lstatSync, readlinkSync } from 'node:fs';
import { errorCode } from '../error-code.ts';

/** What an open file is recognised by later. */
export type FileMark = { readonly name: string } | { readonly device: number; readonly inode: number };

/**
 * Marks an open file, so that `isStillAt` can tell whether a path still leads to it. On Linux the kernel knows the name of an
 * open file; asking by name avoids asking for its times, after which the next write would cost the file system's journal more.
 */
export function markFile(handle: number): FileMark {
  const name = nameOf(handle);
  if (name !== undefined) return { name };
  const { dev, ino } = fstatSync(handle);
  return { device: dev, inode: ino };
}

/** False once the file was moved, replaced or removed, or anything above it was. */
export function isStillAt(path: string, handle: number, mark: FileMark): boolean {
  if ('name' in mark) return nameOf(handle) === mark.name;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.ino === mark.inode && stat.dev === mark.device;
}

function nameOf(handle: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readlinkSync(`/proc/self/fd/${handle}`);
  } catch (error) {
    // Without /proc the file is known by its number instead.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EACCES') return undefined;
    throw error;
  }
}
