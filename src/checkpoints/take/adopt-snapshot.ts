import type { Checkpoint } from '../../core/retention/checkpoint.ts';
import { copyGitObjects } from '../../platform/git/copy-git-objects.ts';
import { type GitPlace, runGit } from '../../platform/git/run-git.ts';
import { joinNul, splitNul } from '../project/diff-trees.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { withScratch } from '../project/with-scratch.ts';
import { writeSnapshot } from './commit-snapshot.ts';
import type { SnapshotFacts } from '../store/snapshot-text.ts';

export interface Adoption {
  /** The repository that has it, which is only read. */
  readonly from: GitPlace;
  readonly tree: string;
  readonly facts: SnapshotFacts;
}

/**
 * Copies a saved state out of another repository, so that it can be compared and gone back to like one of the store's own. It
 * has no ref: whoever needs it longer than a moment gives it one before the next reclaim.
 */
export async function adoptSnapshot(store: CheckpointStore, { from, tree, facts }: Adoption): Promise<Checkpoint> {
  const { gitDir } = store.layout;
  await copyGitObjects({ from, to: { gitDir }, ids: [tree] });
  return writeSnapshot(store, await treeOfFiles(store, tree, facts.workdir), facts);
}

/** A repository inside a project is a name without content in what others save: nothing can be said about its files. */
async function treeOfFiles(store: CheckpointStore, tree: string, workdir: string): Promise<string> {
  const nested = await nestedIn({ gitDir: store.layout.gitDir }, tree);
  if (nested.length === 0) return tree;
  return withScratch(store, workdir, async (place) => {
    await runGit(place, ['read-tree', tree]);
    await runGit(place, ['update-index', '--force-remove', '-z', '--stdin'], { input: joinNul(nested) });
    return (await runGit(place, ['write-tree'])).stdout.toString().trim();
  });
}

/** The repositories inside a saved project. */
export async function nestedIn(place: GitPlace, tree: string): Promise<readonly Buffer[]> {
  const { stdout } = await runGit(place, ['ls-tree', '-r', '-z', tree]);
  return splitNul(stdout)
    .filter((line) => line.subarray(0, NESTED.length).equals(NESTED))
    .map((line) => line.subarray(line.indexOf('\t') + 1));
}

const NESTED = Buffer.from('160000 ');
