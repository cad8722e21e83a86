import type { Checkpoint } from '../core/checkpoint.ts';
import { SECOND_MS } from '../core/time.ts';
import { runGit } from '../platform/run-git.ts';
import type { CheckpointStore } from './open-store.ts';
import { type SnapshotFacts, snapshotText } from './snapshot-text.ts';
import { snapshotRef } from './store-layout.ts';

/** Gives a tree its commit and its ref. The ref comes last: before it nothing is listed, with it everything is there. */
export async function commitSnapshot(
  { layout }: CheckpointStore,
  tree: string,
  facts: SnapshotFacts,
): Promise<Checkpoint> {
  const place = { gitDir: layout.gitDir };
  const date = `@${Math.floor(facts.takenAt / SECOND_MS)} +0000`;
  const { stdout } = await runGit(place, ['commit-tree', tree], {
    input: snapshotText(facts),
    env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  });
  const id = stdout.toString().trim();
  await runGit(place, ['update-ref', snapshotRef(facts.projectId, id), id]);
  return { ...facts, id, tree, pinned: false };
}
