import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StrayItem } from '../../core/retention/inventory.ts';
import { treeStamp } from '../../platform/files/tree-stamp.ts';
import { findShadows, LEGACY } from './move-legacy.ts';
import { storeLayout } from './store-layout.ts';

/** Checkpoints in layouts of before, moved aside or not yet. `root` is the folder of checkpoints in the home. */
export function findLegacy(root: string): readonly StrayItem[] {
  if (!existsSync(root)) return [];
  const moved = readdirSync(root).filter((name) => LEGACY.test(name));
  return [...moved, ...findShadows(storeLayout(root))].map((name) => legacyItem(root, name));
}

/** The fingerprint is that of every stray: the newest time and the size of all that is in it. */
function legacyItem(root: string, name: string): StrayItem {
  const { newestAt, sizeBytes, text } = treeStamp(join(root, name));
  return { kind: 'orphan', id: `checkpoints/${name}`, lastActiveAt: newestAt, sizeBytes, fingerprint: text };
}
