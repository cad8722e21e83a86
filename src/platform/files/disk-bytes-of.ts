import { existsSync } from 'node:fs';
import { ownDiskBytes, walkTree } from './walk-tree.ts';

/** What a folder takes on the disk with all that is in it, as `du` counts it; nothing where there is none. */
export function diskBytesOf(path: string): number {
  let diskBytes = ownDiskBytes(path);
  for (const entry of existsSync(path) ? walkTree(path) : []) {
    if (entry.kind !== 'unreadable') diskBytes += entry.diskBytes;
  }
  return diskBytes;
}
