import { Failure } from '../../../../core/failure.ts';
import { copyGitObjects } from '../../../../platform/git/copy-git-objects.ts';
import { GitError, type GitPlace, runGit } from '../../../../platform/git/run-git.ts';
import { areWhole } from '../store/read-chain.ts';
import { changeShallow, readShallow } from '../store/shallow-file.ts';

/**
 * Snapshots that were taken out of Hermes' repositories, in Coppice's own store beside the home: in Hermes' own they would count
 * for the limit on size that Hermes holds, and make it drop others. Each has a ref, and stands there without what came before it.
 */
export interface SnapshotTrash {
  readonly place: GitPlace;
  /** What a run put here, by the numbers of its items. */
  held(runId: string): Promise<ReadonlyMap<number, string>>;
  /** Copies snapshots here. They are whole and on disk when it resolves. */
  take(from: GitPlace, runId: string, snapshots: readonly Numbered[]): Promise<void>;
  drop(runId: string, numbers: readonly number[]): Promise<void>;
}

/** The repository that they wait in. */
export interface TrashStore {
  readonly gitDir: string;
  /** Says that these are about to have a ref, until it is disposed of: a git that makes it may outlive whoever started it. */
  readonly promise: (ids: readonly string[]) => Disposable;
  /** Carries out lines of `git update-ref --stdin`, all of them or none. */
  readonly changeRefs: (lines: readonly string[]) => Promise<void>;
}

export interface Numbered {
  readonly number: number;
  readonly id: string;
}

export function openSnapshotTrash({ gitDir, promise, changeRefs }: TrashStore): SnapshotTrash {
  const place = { gitDir };
  const held = async (runId: string) => {
    const refs = await readTrash(place, `${TRASH}/${runId}`);
    return new Map([...refs].map(([name, id]) => [Number(name.slice(name.lastIndexOf('/') + 1)), id]));
  };
  return {
    place,
    held,
    async take(from, runId, snapshots) {
      const ids = snapshots.map(({ id }) => id);
      try {
        if (!(await areWhole(place, ids))) await copyGitObjects({ from, to: place, ids });
      } catch (error) {
        if (error instanceof GitError) throw notWhole(error);
        throw error;
      }
      changeShallow(gitDir, { add: ids });
      if (!(await areWhole(place, ids))) throw notWhole();
      using _promises = promise(ids);
      await changeRefs(snapshots.map(({ number, id }) => `update ${TRASH}/${runId}/${number} ${id}`));
    },
    async drop(runId, numbers) {
      const known = await held(runId);
      const there = numbers.filter((number) => known.has(number));
      if (there.length === 0) return;
      await changeRefs(there.map((number) => `delete ${TRASH}/${runId}/${number}`));
      const needed = new Set((await readTrash(place, TRASH)).values());
      changeShallow(gitDir, { remove: [...readShallow(gitDir)].filter((id) => !needed.has(id)) });
    },
  };
}

/** Where checkpoints of Coppice wait too, so that the same reclaim looks after both. */
const TRASH = 'refs/coppice/trash';

async function readTrash(place: GitPlace, below: string): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await runGit(place, ['for-each-ref', '--format=%(refname) %(objectname)', below]);
  const lines = stdout.toString().split('\n').filter(Boolean);
  return new Map(lines.map((line) => line.split(' ', 2) as [string, string]));
}

function notWhole(cause?: unknown): Failure {
  return new Failure('integrity', 'Parts of these checkpoints are missing, so they were left as they are.', {
    hint: 'See what is wrong with: coppice doctor',
    cause,
  });
}
