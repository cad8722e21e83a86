import { Failure } from '../../core/failure.ts';

/** Tells whether a path is one of those asked for, or lies in a folder that is. */
export type PathFilter = (path: Buffer) => boolean;

/** Everything when no paths are given. Paths are literal and relative to the working directory. */
export function pathFilter(paths: readonly Buffer[] | undefined): PathFilter {
  if (paths === undefined || paths.length === 0) return () => true;
  const wanted = paths.map(normalPath);
  return (path) => wanted.some((folder) => isWithin(path, folder));
}

/** True for the path itself and for all that lies in it; the empty path is the whole tree. */
export function isWithin(path: Buffer, folder: Buffer): boolean {
  if (folder.length === 0 || path.equals(folder)) return true;
  return path.length > folder.length && path[folder.length] === SLASH && path.subarray(0, folder.length).equals(folder);
}

/** The path as git writes it: no `.`, no doubled or trailing slash. Refuses whatever could lead out of the tree. */
export function normalPath(path: Buffer): Buffer {
  const text = path.toString('latin1');
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  if (text === '' || text.startsWith('/') || text.includes('\0') || names.includes('..')) {
    throw new Failure('usage', `"${path.toString()}" is not a path inside the working directory.`, {
      hint: 'Give paths relative to the working directory, such as: src/app.ts',
    });
  }
  return Buffer.from(names.join('/'), 'latin1');
}

const SLASH = 0x2f;
