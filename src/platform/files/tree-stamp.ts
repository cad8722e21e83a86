import { lstatSync } from 'node:fs';
import { walkTree } from './walk-tree.ts';

/** What a folder holds, in short form. */
export interface TreeStamp {
  readonly sizeBytes: number;
  /** The newest time of change of all that is in it. */
  readonly newestAt: number;
  /** The same content, the same text. */
  readonly text: string;
}

export function treeStamp(path: string): TreeStamp {
  let sizeBytes = 0;
  let newestAt = Math.floor(lstatSync(path).mtimeMs);
  for (const entry of walkTree(path)) {
    if (entry.kind === 'unreadable' || entry.kind === 'dir') continue;
    sizeBytes += entry.sizeBytes;
    newestAt = Math.max(newestAt, entry.modifiedAt);
  }
  return { sizeBytes, newestAt, text: `${newestAt}:${sizeBytes}` };
}
