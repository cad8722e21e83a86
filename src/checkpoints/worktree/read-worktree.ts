import { constants, copyFileSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { SECOND_MS } from '../../core/time.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { GitError, runGit } from '../../platform/git/run-git.ts';
import { findWork } from '../project/find-work.ts';
import { findWorkdir } from './find-workdir.ts';
import { explainStoreError } from '../store/git-failures.ts';
import { openProject } from '../project/open-project.ts';
import { type CheckpointStore, LOCK_WAIT_MS } from '../store/open-store.ts';
import { projectIdOf } from '../store/store-layout.ts';
import { withScratch } from '../project/with-scratch.ts';
import { tooManyFiles } from '../project/admit-workdir.ts';
import { updateIndex } from '../project/update-index.ts';
import { withIndex } from '../project/work-index.ts';

/** The files of a working directory as they are now, as a tree. It can be read until it is disposed of. */
export interface WorktreeState extends Disposable {
  readonly tree: string;
}

/**
 * Reads a working directory as a take would, without taking: no ref, and the project's own index stays as it is. What it
 * stores is not needed by anything and goes with the next reclaim, which waits while the state is held.
 */
export async function readWorktree(
  store: CheckpointStore,
  workdir: string,
  signal?: AbortSignal,
): Promise<WorktreeState> {
  const projectId = projectIdOf(workdir);
  if (findWorkdir(store, { projectId, workdir }) === 'gone') throw gone(workdir);
  const locks = await holdProject(store, projectId);
  try {
    return { tree: await currentTree(store, workdir, signal), [Symbol.dispose]: () => locks[Symbol.dispose]() };
  } catch (error) {
    locks[Symbol.dispose]();
    throw explainStoreError(error, store.layout.gitDir);
  }
}

function gone(workdir: string): Failure {
  return new Failure('not-found', `${workdir} was removed, so there is nothing to compare with.`, {
    hint: 'Compare two checkpoints, or bring it back with: coppice checkpoints restore ID',
  });
}

async function holdProject(store: CheckpointStore, projectId: string): Promise<Disposable> {
  const project = await store.projectLock(projectId).alone(LOCK_WAIT_MS);
  try {
    const shared = await store.lock.share(LOCK_WAIT_MS);
    return {
      [Symbol.dispose]() {
        shared[Symbol.dispose]();
        project[Symbol.dispose]();
      },
    };
  } catch (error) {
    project[Symbol.dispose]();
    throw error;
  }
}

async function currentTree(store: CheckpointStore, workdir: string, signal?: AbortSignal): Promise<string> {
  return withIndex(store.layout, projectIdOf(workdir), async () => {
    try {
      return await treeFrom(store, { workdir, trust: true, signal });
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      // The index names objects that the store has lost: without it, every file is read again.
      return await treeFrom(store, { workdir, trust: false, signal });
    }
  });
}

interface Reading {
  readonly workdir: string;
  readonly trust: boolean;
  readonly signal: AbortSignal | undefined;
}

async function treeFrom(store: CheckpointStore, { workdir, trust, signal }: Reading): Promise<string> {
  const project = openProject(store, workdir, { trust });
  return withScratch(store, workdir, async (place) => {
    copyIndex(project.place.indexFile, place.indexFile);
    const work = await findWork(store, { ...project, place }, signal);
    if (work === 'too-many') throw tooMany(store, workdir);
    await updateIndex(place, work, { maxFileBytes: store.limits.maxFileBytes, signal });
    return (await runGit(place, ['write-tree'], { signal })).stdout.toString().trim();
  });
}

/** With its time: git reads files again that are as young as the index, because they may have changed since unseen. */
function copyIndex(from: string, to: string): void {
  const stat = statSync(from, { throwIfNoEntry: false });
  if (stat === undefined) return;
  using folder = openBelow(dirname(dirname(to)), dirname(to), { create: true });
  const copy = folder.at(basename(to));
  copyFileSync(from, copy, constants.COPYFILE_EXCL);
  const seconds = Math.floor(stat.mtimeMs) / SECOND_MS;
  utimesSync(copy, seconds, seconds);
}

function tooMany(store: CheckpointStore, workdir: string): Failure {
  const { message, hint } = tooManyFiles(workdir, store.limits.maxFiles);
  return new Failure('refused', message, { hint });
}
