import type { Checkpoint } from '../../core/retention/checkpoint.ts';
import { SECOND_MS } from '../../core/time.ts';
import { runGit } from '../../platform/git/run-git.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { promiseRefs } from '../store/promised-refs.ts';
import { snapshotRef } from '../store/store-layout.ts';
import { type SnapshotFacts, snapshotText } from '../store/snapshot-text.ts';

/** Gives a tree its commit and its ref. The ref comes last: before it nothing is listed, with it everything is there. */
export async function commitSnapshot(store: CheckpointStore, tree: string, facts: SnapshotFacts): Promise<Checkpoint> {
  const checkpoint = await writeSnapshot(store, tree, facts);
  const { projectId, id } = checkpoint;
  using _promise = promiseRefs(store.layout, [id]);
  await runGit({ gitDir: store.layout.gitDir }, ['update-ref', snapshotRef(projectId, id), id]);
  return checkpoint;
}

/** The same without a ref: nothing lists it, and the next reclaim lets go of it. */
export async function writeSnapshot(
  { layout }: Pick<CheckpointStore, 'layout'>,
  tree: string,
  facts: SnapshotFacts,
): Promise<Checkpoint> {
  const date = `@${Math.floor(facts.takenAt / SECOND_MS)} +0000`;
  const { stdout } = await runGit({ gitDir: layout.gitDir }, ['commit-tree', tree], {
    input: snapshotText(facts),
    env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  });
  return { ...facts, id: stdout.toString().trim(), tree, pinned: false };
}
