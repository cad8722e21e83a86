import { Failure } from '../../core/failure.ts';
import { type Checkpoint, shortId } from '../../core/retention/checkpoint.ts';
import { runGit } from '../../platform/git/run-git.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { diffTrees, splitNul, type TreeChange } from '../project/diff-trees.ts';
import { isWithin, normalPath, pathFilter } from '../worktree/restore-paths.ts';

export interface ChangesRequest {
  readonly from: Pick<Checkpoint, 'tree'>;
  readonly to: Pick<Checkpoint, 'id' | 'tree'>;
  readonly paths: readonly Buffer[];
}

/** What a restore has to change. A path that neither side knows is a mistake. */
export async function changesBetween(
  { layout }: Pick<CheckpointStore, 'layout'>,
  { from, to, paths }: ChangesRequest,
): Promise<TreeChange[]> {
  const isWanted = pathFilter(paths);
  const changes = (await diffTrees(layout.gitDir, { from: from.tree, to: to.tree })).filter(({ path }) =>
    isWanted(path),
  );
  const wanted = paths.map(normalPath).filter((path) => !changes.some((change) => isWithin(change.path, path)));
  if (wanted.length === 0) return changes;
  const { stdout } = await runGit({ gitDir: layout.gitDir }, ['ls-tree', '-r', '-z', '--name-only', to.tree]);
  const held = splitNul(stdout);
  const unknown = wanted.find((path) => path.length > 0 && !held.some((name) => isWithin(name, path)));
  if (unknown === undefined) return changes;
  throw new Failure('not-found', `Checkpoint ${shortId(to.id)} has no ${unknown.toString()}, nor has the folder now.`, {
    hint: `See what it would change with: coppice checkpoints diff ${shortId(to.id)} --stat`,
  });
}
