import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { RunItem } from '../../core/run.ts';
import { walkTree } from '../../platform/walk-tree.ts';
import type { NativeLayout } from './native-layout.ts';

/** Whether an orphan or debris is still as the scan saw it: same size, and nothing in it touched since. */
export function strayUnchanged(layout: NativeLayout, { item, fingerprint }: RunItem): boolean {
  if (!isBelow(item.id)) return false;
  const path = join(layout.root, item.id);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // Already in the trash: the step is being finished after a crash.
  if (stat === undefined) return true;
  let sizeBytes = stat.isDirectory() ? 0 : stat.size;
  let newestAt = Math.floor(stat.mtimeMs);
  if (stat.isDirectory()) {
    for (const entry of walkTree(path)) {
      if (entry.kind === 'unreadable') return false;
      if (entry.kind !== 'dir') sizeBytes += entry.sizeBytes;
      if (entry.kind !== 'dir') newestAt = Math.max(newestAt, entry.modifiedAt);
    }
  }
  return fingerprint === `${newestAt}:${sizeBytes}`;
}

/** A plan may have passed through a file: a name that no scan gives, such as that of the database, is no stray. */
function isBelow(id: string): boolean {
  const [folder = '', ...rest] = id.split('/');
  if (rest.length === 0 || rest.includes('..')) return false;
  // Beside the store and its lock are only repositories of older layouts.
  if (folder === 'checkpoints') return rest[0] !== 'store' && rest[0]?.startsWith('lock.db') === false;
  return folder === 'sessions' || folder === 'archive';
}
