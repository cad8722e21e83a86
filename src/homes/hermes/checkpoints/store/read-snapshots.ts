import { hash } from 'node:crypto';
import { errorText } from '../../../../core/error-text.ts';
import type { Problem } from '../../../../core/problem.ts';
import { runGit } from '../../../../platform/git/run-git.ts';
import type { HermesSnapshot } from './hermes-project.ts';

/** The snapshots that some refs lead to, newest first. `refs` are full names or options that stand for them. */
export async function readSnapshots(gitDir: string, refs: string): Promise<HermesSnapshot[]> {
  const args = ['log', '-z', '--date-order', '--format=%H %T %ct %B', refs];
  const { stdout } = await runGit(gitPlace(gitDir), args, { timeoutMs: TIME_LIMIT_MS });
  const lines = stdout
    .toString()
    .split('\0')
    .filter((line) => line !== '');
  const snapshots = lines.map((line) => {
    const [id = '', tree = '', seconds = '', ...reason] = line.split(' ');
    return { hash: id, tree, takenAt: Number(seconds) * 1000, reason: reason.join(' ').trim() };
  });
  return inOrder(snapshots);
}

/** git knows seconds only: of several in one second, each is a little later than the one before it. */
function inOrder(newestFirst: readonly HermesSnapshot[]): HermesSnapshot[] {
  const ordered: HermesSnapshot[] = [];
  for (const snapshot of newestFirst.toReversed()) {
    const before = ordered.at(-1)?.takenAt ?? 0;
    const sameSecond = Math.floor(before / 1000) === snapshot.takenAt / 1000;
    ordered.push(sameSecond ? { ...snapshot, takenAt: before + 1 } : snapshot);
  }
  return ordered.toReversed();
}

/**
 * The repository is named as its own work tree, because the older layout notes the real one in its settings, and git refuses to
 * say anything when that is gone.
 */
export function gitPlace(gitDir: string): { gitDir: string; workTree: string } {
  return { gitDir, workTree: gitDir };
}

export const TIME_LIMIT_MS = 60_000;

/** The name that Hermes gives a project: the beginning of the hash of its path. */
export function projectHash(workdir: string): string {
  return hash('sha256', workdir, 'hex').slice(0, 16);
}

export function badMetadata(path: string, why: string): Problem {
  const message = `${path} ${why}, so which folder these checkpoints belong to is not known. They are left alone.`;
  return { kind: 'checkpoint-metadata', subject: path, message };
}

export function badRepository(path: string, error: unknown): Problem {
  const why = errorText(error);
  return {
    kind: 'checkpoint-unreadable',
    subject: path,
    message: `The checkpoints in ${path} cannot be read: ${why}.`,
    hint: `Run git --git-dir=${path} fsck in the home to see what is wrong. Nothing in it is removed.`,
  };
}
