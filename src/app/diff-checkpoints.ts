import { diffSnapshots, diffText } from '../checkpoints/diff-snapshots.ts';
import { readWorktree } from '../checkpoints/diff-worktree.ts';
import { findSnapshot } from '../checkpoints/find-snapshot.ts';
import type { CheckpointStore } from '../checkpoints/open-store.ts';
import type { Checkpoint, FileDiff } from '../core/checkpoint.ts';
import { Failure } from '../core/failure.ts';

export interface DiffOptions {
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

type DiffRequest = DiffOptions & { readonly id: string };

/** The files that differ, with how many lines. */
export async function diffCheckpoints(store: CheckpointStore, request: DiffRequest): Promise<CheckpointDiff> {
  const { from, to } = await findSides(store, request);
  using other =
    to === undefined ? await readWorktree(store, from.workdir, request.signal) : { tree: to.tree, ...NOTHING };
  const { paths = [] } = request;
  const files = await diffSnapshots(store.layout.gitDir, { from: from.tree, to: other.tree, paths });
  return { from, files, ...(to && { to }) };
}

/** The same as text, in pieces. */
export async function* diffCheckpointsText(store: CheckpointStore, request: DiffRequest): AsyncGenerator<string> {
  const { from, to } = await findSides(store, request);
  using other =
    to === undefined ? await readWorktree(store, from.workdir, request.signal) : { tree: to.tree, ...NOTHING };
  yield* diffText(store.layout.gitDir, { from: from.tree, to: other.tree, paths: request.paths ?? [] });
}

const NOTHING: Disposable = { [Symbol.dispose]: () => undefined };

async function findSides(store: CheckpointStore, { id, to: other }: DiffRequest) {
  const { checkpoint: from } = await findSnapshot(store, id);
  if (other === undefined) return { from };
  const { checkpoint: to } = await findSnapshot(store, other);
  if (to.projectId === from.projectId) return { from, to };
  throw new Failure('usage', `The two checkpoints are of different folders: ${from.workdir} and ${to.workdir}.`, {
    hint: 'Choose two of the same folder. List them with: coppice checkpoints list --all',
  });
}
