import { lstatSync } from 'node:fs';

/** The same as long as nobody writes or replaces the file; undefined where there is none. Others could have written to an open one. */
export function fileMark(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (found?.isFile() !== true || (process.platform !== 'win32' && (found.mode & 0o022n) !== 0n)) return undefined;
  return `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
}
