import { Failure } from '../../core/failure.ts';
import { isDiskFull } from '../../platform/error-code.ts';
import { GitError } from '../../platform/git/run-git.ts';

/** Says in a sentence what git or the system says about the store. What it does not know passes through. */
export function explainStoreError(error: unknown, gitDir: string): unknown {
  if (isOutOfSpace(error)) {
    return new Failure('failed', `There is no space left on the disk that holds ${gitDir}.`, {
      hint: 'No checkpoint was saved, and the older ones are safe. Free some space, for example with: coppice checkpoints prune',
      cause: error,
    });
  }
  if (isStoreError(error)) {
    return new Failure('refused', `${gitDir} cannot be written.`, {
      hint: 'Check who owns the home and whether its disk is mounted read-only.',
      cause: error,
    });
  }
  return error;
}

/** Whether git could not write to its store, as opposed to reading the files it was given. */
export function isStoreError(error: unknown): boolean {
  return error instanceof GitError && STORE_ERRORS.test(error.stderr);
}

const STORE_ERRORS =
  /No space left on device|Disk quota exceeded|insufficient permission for adding an object|unable to (create temporary|write|deflate)|file write error|Unable to create '.*\.lock': (?!File exists)|Read-only file system/;

function isOutOfSpace(error: unknown): boolean {
  if (error instanceof GitError) return /No space left on device|Disk quota exceeded/.test(error.stderr);
  return isDiskFull(error);
}
