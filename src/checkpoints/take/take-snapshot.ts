import type { Checkpoint, LeftOutFile, TakeOptions, TakeRequest, TakeResult } from '../../core/retention/checkpoint.ts';
import { type EpochMs, MINUTE_MS } from '../../core/time.ts';
import { GitError, runGit } from '../../platform/git/run-git.ts';
import { readSnapshots } from '../store/read-snapshots.ts';
import type { Sorted } from '../project/sort-changes.ts';
import { findWork } from '../project/find-work.ts';
import { explainStoreError, isStoreError } from '../store/git-failures.ts';
import { shareStore } from '../worktree/heal-store.ts';
import { type OpenProject, openProject, rememberProject } from '../project/open-project.ts';
import { type CheckpointStore, LOCK_WAIT_MS } from '../store/open-store.ts';
import { projectIdOf } from '../store/store-layout.ts';
import { admitWorkdir, tooManyFiles } from '../project/admit-workdir.ts';
import { commitSnapshot } from './commit-snapshot.ts';
import { updateIndex } from '../project/update-index.ts';
import { dropIndexLock, healIndexLock, indexCount, withIndex } from '../project/work-index.ts';

/** Takes a checkpoint of a working directory, if there is anything to save and it may be saved. */
export async function takeSnapshot(
  store: CheckpointStore,
  request: TakeRequest,
  options: TakeOptions = {},
): Promise<TakeResult> {
  const admission = admitWorkdir(request.workdir, store.limits.homeRoot);
  if ('message' in admission) return { status: 'refused', ...admission };
  const { workdir } = admission;
  using _project = await store.projectLock(projectIdOf(workdir)).alone(LOCK_WAIT_MS);
  using _store = await shareStore(store, LOCK_WAIT_MS);
  return await saveSnapshot(store, { ...request, ...options, workdir, kind: 'taken' });
}

export interface SaveRequest extends TakeRequest, TakeOptions {
  /** The real path of a project that was admitted. */
  readonly workdir: string;
  readonly kind: Checkpoint['kind'];
}

/** The same for whoever holds the project's lock and shares the store's already. */
export async function saveSnapshot(store: CheckpointStore, request: SaveRequest): Promise<TakeResult> {
  const projectId = projectIdOf(request.workdir);
  const index = store.layout.index(projectId);
  try {
    await healIndexLock(index, request.signal);
    return await withIndex(store.layout, projectId, () => attemptTwice(store, request));
  } catch (error) {
    // Every git of ours has ended by now, so a lock that is still there was left by one that was stopped.
    dropIndexLock(index);
    throw explainStoreError(error, store.layout.gitDir);
  }
}

async function attemptTwice(store: CheckpointStore, request: SaveRequest): Promise<TakeResult> {
  try {
    return await attempt(store, request, { trust: true });
  } catch (error) {
    if (!(error instanceof GitError) || isStoreError(error)) throw error;
    // The index is damaged or names objects that the store has lost: it is made anew, once.
    return await attempt(store, request, { trust: false });
  }
}

async function attempt(
  store: CheckpointStore,
  request: SaveRequest,
  { trust }: { readonly trust: boolean },
): Promise<TakeResult> {
  const project = openProject(store, request.workdir, { trust });
  const { base: quick, record } = project;
  if (quick !== undefined && isSameTurn(quick, request)) return unchanged(quick);
  const work = await findWork(store, project, request.signal);
  if (work === 'too-many') return { status: 'refused', ...tooManyFiles(request.workdir, store.limits.maxFiles) };
  const idle = work.save.length === 0 && work.drop.length === 0 && !project.stale;
  if (quick !== undefined && idle) return unchanged(quick, work.leftOut);
  const enough = quick !== undefined && request.turn === undefined;
  const known = enough ? [quick] : (await readSnapshots(store, { projectId: project.id })).checkpoints;
  const same = known.find((checkpoint) => isSameTurn(checkpoint, request));
  if (same !== undefined) return unchanged(same);
  const base = known.find(({ id }) => id === record?.index.id);
  // The checkpoint that the index belongs to was removed, and its objects may follow at any time.
  if (base === undefined && record !== undefined) return attempt(store, request, { trust: false });
  if (base !== undefined && idle) return unchanged(base, work.leftOut);
  return save(store, request, { project, work, newest: base ?? known[0] });
}

function unchanged(checkpoint: Checkpoint, leftOut: readonly LeftOutFile[] = []): TakeResult {
  return { status: 'unchanged', checkpoint, leftOut };
}

/** Turns are counted within a session. */
function isSameTurn(checkpoint: Checkpoint, { sessionId, turn, kind }: SaveRequest): boolean {
  if (turn === undefined || kind !== 'taken' || checkpoint.kind !== kind) return false;
  return checkpoint.sessionId === sessionId && checkpoint.turn === turn;
}

interface Found {
  readonly project: OpenProject;
  readonly work: Sorted;
  readonly newest: Checkpoint | undefined;
}

async function save(store: CheckpointStore, request: SaveRequest, found: Found): Promise<TakeResult> {
  const { project, work, newest } = found;
  const { workdir, reason = '', kind, sessionId, turn, seq, signal, onProgress } = request;
  const { maxFileBytes } = store.limits;
  const late = await updateIndex(project.place, work, { maxFileBytes, signal, onProgress });
  const leftOut = oncePerPath([...work.leftOut, ...late]);
  const tree = (await runGit(project.place, ['write-tree'], { signal })).stdout.toString().trim();
  if (newest?.tree === tree) {
    rememberProject(store, project, newest);
    return unchanged(newest, leftOut);
  }
  const checkpoint = await commitSnapshot(store, tree, {
    projectId: project.id,
    workdir,
    takenAt: instantAfter(newest, store.clock.now()),
    reason,
    kind,
    ...(sessionId !== undefined && { sessionId }),
    ...(turn !== undefined && { turn }),
    ...(seq !== undefined && { seq }),
    fileCount: indexCount(project.place.indexFile),
    leftOutCount: leftOut.length,
  });
  rememberProject(store, project, checkpoint);
  return { status: 'taken', checkpoint, leftOut };
}

/** What could not be read may be met more than once. */
function oncePerPath(leftOut: readonly LeftOutFile[]): LeftOutFile[] {
  return [...new Map(leftOut.map((one) => [one.path, one])).values()];
}

/** Later than the newest, so that their order is never in doubt; a clock that was set back for long is believed. */
function instantAfter(newest: Checkpoint | undefined, now: EpochMs): EpochMs {
  if (newest === undefined || now > newest.takenAt || newest.takenAt - now > MINUTE_MS) return now;
  return newest.takenAt + 1;
}
