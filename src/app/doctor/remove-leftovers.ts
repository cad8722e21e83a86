import { join } from 'node:path';
import { healStore } from '../../checkpoints/worktree/heal-store.ts';
import { readableStore } from '../../checkpoints/store/readable-store.ts';
import { cacheFolder } from '../../keeping/archive/shelf/member-cache.ts';
import { leftoversIn, removeLeftovers } from '../../platform/leftovers/remove-leftovers.ts';
import { COPY } from '../../store/sqlite/store-checks.ts';
import { checkpointStoreOptions } from '../checkpoints/checkpoint-store.ts';
import type { HomeParts } from '../home-parts.ts';

/**
 * Removes what dead processes left under temporary names: in the home, in its checkpoint store, in folders that a restore was
 * writing to, and in the home of another agent. What is below `sessions/` is found by the scan.
 */
export async function removeHomeLeftovers(parts: HomeParts): Promise<void> {
  for (const dir of folders(parts)) removeLeftovers(dir);
  removeLeftovers(parts.layout.root, COPY);
  const store = readableStore(checkpointStoreOptions(parts));
  if (store !== undefined) await healStore(store);
}

/** The same, told: paths. */
export function homeLeftovers(parts: HomeParts): readonly string[] {
  return folders(parts).flatMap((dir) => leftoversIn(dir).map((name) => join(dir, name)));
}

function folders({ layout, foreign }: HomeParts): readonly string[] {
  const { root, plans, archive } = layout;
  const own = [root, plans, archive, cacheFolder(layout), join(root, 'checkpoints')];
  return [...own, ...(foreign?.leftoverFolders() ?? [])];
}
