import { basename, dirname } from 'node:path';
import { openBelow } from './directory-handle.ts';
import { writeFileAtomic } from './private-files.ts';

/** Replaces a private file below `root` in one step, through real folders alone. Makes the folders that are missing. */
export function writeBelow(root: string, path: string, data: string): void {
  using folder = openBelow(root, dirname(path), { create: true });
  writeFileAtomic(folder.at(basename(path)), data);
}
