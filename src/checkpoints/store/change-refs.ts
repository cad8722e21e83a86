import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { removeBelow } from '../../platform/files/remove-tree.ts';
import { gitsEnded } from '../../platform/git/git-at-work.ts';
import { GitError, runGit } from '../../platform/git/run-git.ts';
import { explainStoreError } from './git-failures.ts';
import { type CheckpointStore, LOCK_WAIT_MS } from './open-store.ts';
import { signIn } from './store-work.ts';

/**
 * Carries out ref changes together: all of them or none, unless git is killed meanwhile. Each line is one of
 * `git update-ref --stdin`. One process at a time does this, so a lock of git on one of these refs has no owner that lives: it
 * is removed once no git is left that outlived the process that started it.
 */
export async function changeRefs(
  { layout, refsLock }: Pick<CheckpointStore, 'layout' | 'refsLock'>,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const { gitDir } = layout;
  const locks = [...lines.flatMap(refOf), 'packed-refs'].map((name) => join(gitDir, `${name}.lock`));
  using _note = signIn(layout);
  using _alone = await refsLock.alone(LOCK_WAIT_MS);
  if (locks.some(isThere)) {
    if (!(await gitsEnded(gitDir, UPDATE_REF))) throw atWork(gitDir);
    removeBelow(layout.home, locks);
  }
  try {
    await runGit({ gitDir }, [UPDATE_REF, '--stdin'], { input: `${['start', ...lines, 'commit'].join('\n')}\n` });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // It has ended. One that was killed leaves its locks.
    removeBelow(layout.home, locks);
    const explained = explainStoreError(error, gitDir);
    throw explained === error ? refused(gitDir, error) : explained;
  }
}

const UPDATE_REF = 'update-ref';

/** Whether git did not make the change, for whatever reason. */
export function isRefused(error: unknown): error is Failure {
  return error instanceof Failure && error.cause instanceof GitError;
}

/** Every verb names its ref first, and git locks each of them, also those that it only looks at. */
function refOf(line: string): string[] {
  const [, name] = line.split(' ', 2);
  return name === undefined ? [] : [name];
}

function atWork(gitDir: string): Failure {
  return new Failure('locked', `A git is still at work in ${gitDir}.`, {
    hint: 'Run the same command again in a moment.',
  });
}

function refused(gitDir: string, cause: GitError): Failure {
  return new Failure('failed', `The list of checkpoints in ${gitDir} could not be changed.`, {
    hint: 'Nothing was lost. Run the same command again; if that does not help: coppice checkpoints verify',
    cause,
  });
}
