import { type Sorted, sortChanges } from './sort-changes.ts';
import { runGitOverFiles } from './git-over-files.ts';
import { listChanges, listIgnored } from './list-changes.ts';
import { indexCount } from './work-index.ts';
import type { OpenProject } from './open-project.ts';
import type { CheckpointStore } from '../store/open-store.ts';

/** What has to be done to bring a project's index up to date, before any file is read. */
export async function findWork(
  { limits }: CheckpointStore,
  { place, record, moved, rules }: OpenProject,
  signal?: AbortSignal,
): Promise<Sorted | 'too-many'> {
  const { exclude, excludeFrom, maxFiles, maxFileBytes } = limits;
  if (moved) await runGitOverFiles(place, ['update-index', '-q', '--refresh'], { okCodes: [0, 1], signal });
  const held = indexCount(place.indexFile);
  // What the index holds is listed twice at most: once changed and once removed.
  const options = { exclude, excludeFrom, maxPaths: 2 * held + maxFiles, signal };
  const listing = await listChanges(place, options);
  if (listing === 'too-many') return listing;
  const newRules = record?.index.rules !== rules || listing.changes.some(({ path }) => isIgnoreFile(path));
  const ignored = held > 0 && newRules ? await listIgnored(place, options) : [];
  const gone = new Set(ignored.map((path) => path.toString('latin1')));
  const changes = listing.changes.filter(({ path }) => !gone.has(path.toString('latin1')));
  const sorted = sortChanges(place.workTree, changes, maxFileBytes);
  if (held + sorted.growth - ignored.length > maxFiles) return 'too-many';
  const closed = listing.closed.map((path) => ({ path, why: 'unreadable' as const }));
  return { ...sorted, drop: [...sorted.drop, ...ignored], leftOut: [...sorted.leftOut, ...closed] };
}

function isIgnoreFile(path: Buffer): boolean {
  return /(^|\/)\.gitignore$/.test(path.toString('latin1'));
}
