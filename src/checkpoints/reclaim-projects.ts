import { existsSync } from 'node:fs';
import type { EpochMs } from '../core/time.ts';
import { projectIds, readProject } from './project-book.ts';
import { KEEP, SNAPSHOTS, type StoreLayout, TRASH } from './store-layout.ts';

/** What is left of a project that nothing needs: its index alone, or its record with it. */
interface Stale {
  readonly projectId: string;
  readonly part: 'index' | 'all';
}

export interface StaleFacts {
  readonly refs: ReadonlyMap<string, string>;
  /** Projects whose last checkpoint is older than this are idle. */
  readonly idleBefore: EpochMs;
}

/** The files of what is stale. They go only while nobody takes: the store is held alone. */
export function staleFiles(layout: StoreLayout, facts: StaleFacts): string[] {
  return findStale(layout, facts).flatMap(({ projectId, part }) => [
    layout.index(projectId),
    ...(part === 'all' ? [layout.project(projectId)] : []),
  ]);
}

/**
 * Indexes of checkpoints that are gone for good, which would make the next take believe that their objects are there; those of
 * idle projects, which cost room and only make the next take quick; and all of a project without checkpoints, once there is
 * nothing in the trash or held that might be one of them.
 */
function findStale(layout: StoreLayout, { refs, idleBefore }: StaleFacts): readonly Stale[] {
  const names = [...refs.keys()];
  const ids = new Set(refs.values());
  const live = new Set(names.filter((name) => name.startsWith(`${SNAPSHOTS}/`)).map(projectOf));
  const mayReturn = names.some((name) => name.startsWith(`${TRASH}/`) || name.startsWith(`${KEEP}/`));
  return projectIds(layout).flatMap((projectId): Stale[] => {
    const record = readProject(layout, projectId);
    if (typeof record === 'string') return [];
    if (!live.has(projectId) && !mayReturn) return [{ projectId, part: 'all' }];
    if (!existsSync(layout.index(projectId))) return [];
    return ids.has(record.index.id) && record.lastTakenAt >= idleBefore ? [] : [{ projectId, part: 'index' }];
  });
}

function projectOf(ref: string): string {
  return ref
    .slice(SNAPSHOTS.length + 1)
    .split('/', 1)
    .join();
}
