import { lstatSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { type Checkpoint, shortId } from '../../core/retention/checkpoint.ts';
import { runGit } from '../../platform/git/run-git.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { withScratch } from '../project/with-scratch.ts';
import { commitSnapshot } from '../take/commit-snapshot.ts';
import { storeExcludeArgs } from '../store/excludes.ts';
import { saveSnapshot } from '../take/take-snapshot.ts';
import { updateIndex } from '../project/update-index.ts';
import { type Folder, openPlace } from '../worktree/worktree-folder.ts';
import { splitNul, type TreeChange } from '../project/diff-trees.ts';
import { changesBetween } from './restore-changes.ts';
import { sortChanges } from '../project/sort-changes.ts';

export interface SafetyRequest {
  readonly target: Checkpoint;
  readonly paths: readonly Buffer[];
  readonly signal?: AbortSignal | undefined;
}

export interface Safety {
  readonly safety: Checkpoint;
  /** From the safety to the target. */
  readonly changes: readonly TreeChange[];
}

/**
 * Saves what is there before a restore. A file that the target holds and that the project ignores by now is saved too: it is
 * about to be overwritten. Files that the rules of the store leave out are not; so they are not overwritten either.
 */
export async function saveBefore(
  store: CheckpointStore,
  request: SafetyRequest & Pick<OpenWorkdir, 'root'>,
): Promise<Safety> {
  const { target, paths, root } = request;
  const first = await saveVisible(store, request);
  const changes = await changesBetween(store, { from: first, to: target, paths });
  const hidden = await hiddenFiles(store, { workdir: target.workdir, root }, changes);
  if (hidden.length === 0) return { safety: first, changes };
  const tree = await treeWith(store, { ...request, workdir: target.workdir, tree: first.tree, hidden });
  if (tree === first.tree) return { safety: first, changes };
  const safety = await commitSnapshot(store, tree, {
    projectId: target.projectId,
    workdir: target.workdir,
    takenAt: Math.max(store.clock.now(), first.takenAt + 1),
    reason: reasonFor(target),
    kind: 'safety',
    fileCount: first.fileCount + hidden.length,
    leftOutCount: first.leftOutCount,
  });
  return { safety, changes: await changesBetween(store, { from: safety, to: target, paths }) };
}

async function saveVisible(store: CheckpointStore, { target, signal }: SafetyRequest): Promise<Checkpoint> {
  const { workdir } = target;
  const saved = await saveSnapshot(store, { workdir, reason: reasonFor(target), kind: 'safety', signal });
  if (saved.status !== 'refused') return saved.checkpoint;
  throw new Failure(
    'refused',
    `Nothing was changed: what is in ${workdir} now cannot be saved first. ${saved.message}`,
    {
      hint: saved.hint,
    },
  );
}

function reasonFor(target: Checkpoint): string {
  return `before going back to ${shortId(target.id)}`;
}

/** A working directory, by its path and open. */
export interface OpenWorkdir {
  readonly workdir: string;
  readonly root: Folder;
}

/** Files in the way of a restore that the project ignores by now, and that a checkpoint may hold. */
export async function hiddenFiles(
  store: CheckpointStore,
  { workdir, root }: OpenWorkdir,
  changes: readonly TreeChange[],
): Promise<readonly TreeChange[]> {
  const found = changes.filter(({ from, path }) => from === undefined && isSavable(root, path));
  if (found.length === 0) return [];
  return withScratch(store, workdir, async (place) => {
    const entries = found.map(({ path, to }) => Buffer.concat([Buffer.from(`${to?.mode} ${to?.oid}\t`), path, NUL]));
    await runGit(place, ['update-index', '-z', '--index-info'], { input: Buffer.concat(entries) });
    const rules = storeExcludeArgs(place, store.limits);
    const { stdout } = await runGit(place, ['ls-files', '-z', '--cached', '--ignored', ...rules]);
    const leftOut = new Set(splitNul(stdout).map((path) => path.toString('latin1')));
    return found.filter(({ path }) => !leftOut.has(path.toString('latin1')));
  });
}

function isSavable(root: Folder, path: Buffer): boolean {
  using place = openPlace(root, path, { create: false });
  if (place.folder === undefined) return false;
  const stats = lstatSync(place.folder.at(place.name), { throwIfNoEntry: false });
  return stats !== undefined && (stats.isFile() || stats.isSymbolicLink());
}

export interface MoreFiles {
  readonly workdir: string;
  readonly tree: string;
  readonly hidden: readonly TreeChange[];
  readonly signal?: AbortSignal | undefined;
}

/** A tree with these files on top. What is too large or cannot be read is left out again. */
export async function treeWith(store: CheckpointStore, { workdir, tree, hidden, signal }: MoreFiles): Promise<string> {
  const { maxFileBytes } = store.limits;
  return withScratch(store, workdir, async (place) => {
    await runGit(place, ['read-tree', tree], { signal });
    const arrived = hidden.map(({ path }) => ({ tag: '?' as const, path }));
    await updateIndex(place, sortChanges(workdir, arrived, maxFileBytes), { maxFileBytes, signal });
    return (await runGit(place, ['write-tree'], { signal })).stdout.toString().trim();
  });
}

const NUL = Buffer.from([0]);
