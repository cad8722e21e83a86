import { Failure } from '../../core/failure.ts';
import type { Checkpoint, FileDiff } from '../../core/retention/checkpoint.ts';
import { findSnapshot } from '../store/find-snapshot.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { readWorktree } from '../worktree/read-worktree.ts';
import { diffSnapshots, diffText } from './diff-snapshots.ts';

export interface CheckpointDiffOptions {
  /** Another checkpoint of the same folder; the files as they are now when absent. */
  readonly to?: string;
  /** Only these, literal and relative to the working directory; a folder means all that lies in it. */
  readonly paths?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface CheckpointDiff {
  readonly from: Checkpoint;
  /** Absent when it is compared with the files as they are now. */
  readonly to?: Checkpoint;
  readonly files: readonly FileDiff[];
}

type DiffRequest = CheckpointDiffOptions & { readonly id: string };

/** The files that differ, with how many lines. */
export async function diffCheckpoints(store: CheckpointStore, request: DiffRequest): Promise<CheckpointDiff> {
  return diffOfSides(store, await findSides(store, request), request);
}

/** The same as text, in pieces. */
export async function* diffCheckpointsText(store: CheckpointStore, request: DiffRequest): AsyncGenerator<string> {
  yield* diffTextOfSides(store, await findSides(store, request), request);
}

/** Two states that a store holds, or one and the files as they are now. */
export type Sides = Omit<CheckpointDiff, 'files'>;

export async function diffOfSides(
  store: CheckpointStore,
  sides: Sides,
  { paths = [], signal }: CheckpointDiffOptions,
): Promise<CheckpointDiff> {
  using trees = await treesOf(store, sides, signal);
  return { ...sides, files: await diffSnapshots(store.layout.gitDir, { ...trees, paths }) };
}

export async function* diffTextOfSides(
  store: CheckpointStore,
  sides: Sides,
  { paths = [], signal }: CheckpointDiffOptions,
): AsyncGenerator<string> {
  using trees = await treesOf(store, sides, signal);
  yield* diffText(store.layout.gitDir, { ...trees, paths });
}

export function refuseTwoFolders(from: Checkpoint, to: Checkpoint): void {
  if (to.workdir === from.workdir) return;
  throw new Failure('usage', `The two checkpoints are of different folders: ${from.workdir} and ${to.workdir}.`, {
    hint: 'Choose two of the same folder. List them with: coppice checkpoints list --all',
  });
}

async function findSides(store: CheckpointStore, { id, to: other }: DiffRequest): Promise<Sides> {
  const { checkpoint: from } = await findSnapshot(store, id);
  if (other === undefined) return { from };
  const { checkpoint: to } = await findSnapshot(store, other);
  refuseTwoFolders(from, to);
  return { from, to };
}

/** The trees can be read until they are disposed of. */
async function treesOf(store: CheckpointStore, { from, to }: Sides, signal: AbortSignal | undefined) {
  if (to !== undefined) return { from: from.tree, to: to.tree, [Symbol.dispose]: () => undefined };
  const now = await readWorktree(store, from.workdir, signal);
  return { from: from.tree, to: now.tree, [Symbol.dispose]: () => now[Symbol.dispose]() };
}
