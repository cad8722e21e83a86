import type { Checkpoint } from '../../core/retention/checkpoint.ts';
import { runGit } from '../../platform/git/run-git.ts';
import { diffTrees, EMPTY_TREE } from '../project/diff-trees.ts';
import type { CheckpointStore } from '../store/open-store.ts';

/** What is new in a checkpoint against the one before it; against nothing for the first. */
export interface Changed {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** Of the files that were added or changed, as they are in this checkpoint. */
  readonly sizeBytes: number;
}

export async function measureChanges(
  { layout: { gitDir } }: CheckpointStore,
  checkpoint: Checkpoint,
  previous: Checkpoint | undefined,
): Promise<Changed> {
  const changes = await diffTrees(gitDir, { from: previous?.tree ?? EMPTY_TREE, to: checkpoint.tree });
  const input = changes.map(({ to }) => (to === undefined ? '' : `${to.oid}\n`)).join('');
  const { stdout } = await runGit({ gitDir }, ['cat-file', '--batch-check=%(objectsize)'], { input });
  const sizes = stdout.toString().split('\n').filter(Boolean);
  return {
    added: changes.filter(({ from }) => from === undefined).length,
    removed: changes.filter(({ to }) => to === undefined).length,
    changed: changes.filter(({ from, to }) => from !== undefined && to !== undefined).length,
    sizeBytes: sizes.reduce((sum, size) => sum + Number(size), 0),
  };
}
