import { rmSync } from 'node:fs';
import { projectIds, readProject } from './project-book.ts';
import { KEEP, SNAPSHOTS, type StoreLayout, TRASH } from './store-layout.ts';
import { dropIndex } from './work-index.ts';

/** What is left of a project that nothing needs: its index alone, or its record with it. */
interface Stale {
  readonly projectId: string;
  readonly part: 'index' | 'all';
}

/**
 * Indexes of checkpoints that are gone for good, which would make the next take believe that their objects are there; and all
 * of a project without checkpoints, once there is nothing in the trash or held that might be one of them.
 */
export function findStale(layout: StoreLayout, refs: ReadonlyMap<string, string>): readonly Stale[] {
  const names = [...refs.keys()];
  const ids = new Set(refs.values());
  const live = new Set(names.filter((name) => name.startsWith(`${SNAPSHOTS}/`)).map(projectOf));
  const mayReturn = names.some((name) => name.startsWith(`${TRASH}/`) || name.startsWith(`${KEEP}/`));
  return projectIds(layout).flatMap((projectId): Stale[] => {
    const record = readProject(layout, projectId);
    if (typeof record === 'string') return [];
    if (!live.has(projectId) && !mayReturn) return [{ projectId, part: 'all' }];
    return ids.has(record.index.id) ? [] : [{ projectId, part: 'index' }];
  });
}

/** Only while nobody takes: the store is held alone. */
export function dropStale(layout: StoreLayout, refs: ReadonlyMap<string, string>): void {
  for (const { projectId, part } of findStale(layout, refs)) {
    dropIndex(layout.index(projectId));
    if (part === 'all') rmSync(layout.project(projectId), { force: true });
  }
}

function projectOf(ref: string): string {
  return ref
    .slice(SNAPSHOTS.length + 1)
    .split('/', 1)
    .join();
}
