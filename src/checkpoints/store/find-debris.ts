import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type EpochMs, MINUTE_MS } from '../../core/time.ts';
import { walkTree } from '../../platform/files/walk-tree.ts';
import { findProcess } from '../../platform/machine/find-process.ts';
import type { StoreLayout } from './store-layout.ts';

/** Longer than any git command of ours may run. */
export const DEBRIS_AGE_MS = 10 * MINUTE_MS;

/**
 * What killed git commands left in the store, as paths in it: unfinished packs and objects, locks on refs, and indexes. git
 * itself never removes some of these. Remove them only while nobody writes to the store.
 */
export function findDebris({ gitDir }: StoreLayout, before: EpochMs): string[] {
  const found: string[] = [];
  for (const entry of walkTree(gitDir)) {
    if (entry.kind === 'unreadable' || entry.modifiedAt > before) continue;
    if (isDebris(entry.path, entry.kind === 'dir') || isHalfPack(gitDir, entry.path)) found.push(entry.path);
  }
  return found;
}

/** The index of a pack comes last and goes first: without it, nothing finds the rest. */
function isHalfPack(gitDir: string, path: string): boolean {
  const [, pack] = /^(objects\/pack\/pack-[0-9a-f]{40})\.\w+$/.exec(path) ?? [];
  return pack !== undefined && !existsSync(join(gitDir, `${pack}.idx`));
}

function isDebris(path: string, isDir: boolean): boolean {
  const name = basename(path);
  if (path.startsWith('objects/')) {
    if (isDir) return name.startsWith('tmp_objdir-');
    const [, pid] = /^\.tmp-(\d+)-/.exec(name) ?? [];
    return name.startsWith('tmp_') || (pid !== undefined && findProcess(Number(pid)) === undefined);
  }
  // A take that is at work has its index here, and holds the store.
  if (path.startsWith('indexes/')) return !isDir;
  const places = ['refs/', 'packed-refs', 'HEAD', 'shallow'];
  return !isDir && name.endsWith('.lock') && places.some((place) => path.startsWith(place));
}
