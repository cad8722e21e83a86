import { readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A path as a person knows it, also where it leads through an open folder. For sentences, never for opening. */
export function readablePath(path: string): string {
  if (!path.startsWith(OPEN_FOLDERS)) return path;
  try {
    return join(readlinkSync(dirname(path)), basename(path));
  } catch {
    // The folder was closed meanwhile: the name alone says more than a number.
    return basename(path);
  }
}

const OPEN_FOLDERS = '/proc/self/fd/';
