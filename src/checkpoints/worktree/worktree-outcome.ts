import { Failure } from '../../core/failure.ts';
import type { FileChange, RestoredFile } from '../../core/retention/checkpoint.ts';
import { errorCode, isDiskFull } from '../../platform/error-code.ts';
import type { TreeChange } from '../project/diff-trees.ts';

/** What one path meets is an outcome and does not stop the others; a bug does. */
export async function attempt(change: TreeChange, act: () => Promise<string | undefined>): Promise<RestoredFile> {
  try {
    return outcomeOf(change, await act());
  } catch (error) {
    return outcomeOf(change, sentenceOf(error));
  }
}

/** A sentence says why a path was left alone. */
export function outcomeOf(change: TreeChange, detail: string | undefined): RestoredFile {
  const file: FileChange = { path: change.path, kind: kindOf(change) };
  return detail === undefined ? { ...file, status: 'done' } : { ...file, status: 'skipped', detail };
}

function kindOf({ from, to }: TreeChange): FileChange['kind'] {
  if (from === undefined) return 'added';
  return to === undefined ? 'removed' : 'changed';
}

export function sentenceOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const code = errorCode(error);
  if (code === undefined) throw error;
  if (isDiskFull(error)) return 'The disk is full. Free some space, then run the same command again.';
  if (code === 'EACCES' || code === 'EPERM') return 'It may not be read or changed.';
  return `The file system refused it: ${code}.`;
}
