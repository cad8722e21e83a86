import { join } from 'node:path';
import type { EpochMs } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { type DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { removeBelow } from '../../platform/files/remove-tree.ts';
import { readProject } from './project-book.ts';
import type { StoreLayout } from './store-layout.ts';

/** An index that waits for the next take of its project. */
export interface KeptIndex {
  readonly projectId: string;
  readonly path: string;
  readonly diskBytes: number;
}

/** Where the index of a project waits. */
export function keptIndex({ indexes }: StoreLayout, projectId: string): string {
  return join(indexes, projectId);
}

/** Every index in the cache. What vanishes meanwhile is left out. */
export function keptIndexes(layout: StoreLayout): KeptIndex[] {
  using folder = openCache(layout);
  if (folder === undefined) return [];
  const names = folder.names().filter((name) => /^[0-9a-f]{16}$/.test(name));
  return names.flatMap((projectId) => {
    const stat = folder.look(projectId);
    return stat === undefined ? [] : [{ projectId, path: keptIndex(layout, projectId), diskBytes: stat.blocks * 512 }];
  });
}

/** What is behind a link is no cache of ours, nor is what cannot be read: a take can do without. */
function openCache({ home, indexes }: StoreLayout): DirectoryHandle | undefined {
  try {
    return openBelow(home, indexes);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * Removes the indexes that were used least recently until the rest takes no more than this. It needs no lock: a take that is
 * at work has its index elsewhere. Returns how many bytes were freed.
 */
export function trimIndexes(layout: StoreLayout, roomBytes: number): number {
  let freedBytes = 0;
  const kept = keptIndexes(layout);
  let leftBytes = kept.reduce((sum, { diskBytes }) => sum + diskBytes, 0);
  if (leftBytes <= roomBytes) return 0;
  const usedAt = new Map(kept.map(({ projectId }) => [projectId, lastUseOf(layout, projectId)]));
  const oldestFirst = kept.toSorted((a, b) => (usedAt.get(a.projectId) ?? 0) - (usedAt.get(b.projectId) ?? 0));
  for (const { path, diskBytes } of oldestFirst) {
    if (leftBytes <= roomBytes) break;
    removeBelow(layout.home, [path]);
    leftBytes -= diskBytes;
    freedBytes += diskBytes;
  }
  return freedBytes;
}

/** Without a record that can be read, an index is of no use. */
function lastUseOf(layout: StoreLayout, projectId: string): EpochMs {
  const record = readProject(layout, projectId);
  return typeof record === 'string' ? 0 : record.lastTakenAt;
}
