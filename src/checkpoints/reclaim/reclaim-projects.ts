import type { EpochMs } from '../../core/time.ts';
import { keptIndexes } from '../store/index-cache.ts';
import { projectIds, readProject } from '../store/project-book.ts';
import { KEEP, SNAPSHOTS, type StoreLayout, TRASH } from '../store/store-layout.ts';

export interface StaleFacts {
  readonly refs: ReadonlyMap<string, string>;
  /** Projects whose last checkpoint is older than this are idle. */
  readonly idleBefore: EpochMs;
}

/** The files of projects that nothing needs. They go only while nobody takes: the store is held alone. */
export function staleFiles(layout: StoreLayout, facts: StaleFacts): string[] {
  return [...staleRecords(layout, facts), ...staleIndexes(layout, facts)];
}

/** Of projects without checkpoints, once there is nothing in the trash or held that might be one of theirs. */
function staleRecords(layout: StoreLayout, { refs }: StaleFacts): string[] {
  const names = [...refs.keys()];
  if (names.some((name) => name.startsWith(`${TRASH}/`) || name.startsWith(`${KEEP}/`))) return [];
  const live = new Set(names.filter((name) => name.startsWith(`${SNAPSHOTS}/`)).map(projectOf));
  return projectIds(layout)
    .filter((projectId) => !live.has(projectId) && readProject(layout, projectId) !== 'unreadable')
    .map((projectId) => layout.project(projectId));
}

/** Those that no take would trust, and those of idle projects, which cost room and only make the next take quick. */
function staleIndexes(layout: StoreLayout, { refs, idleBefore }: StaleFacts): string[] {
  const ids = new Set(refs.values());
  const isOfUse = (projectId: string) => {
    const record = readProject(layout, projectId);
    return typeof record !== 'string' && ids.has(record.index.id) && record.lastTakenAt >= idleBefore;
  };
  return keptIndexes(layout)
    .filter(({ projectId }) => !isOfUse(projectId))
    .map(({ path }) => path);
}

function projectOf(ref: string): string {
  return ref
    .slice(SNAPSHOTS.length + 1)
    .split('/', 1)
    .join();
}
