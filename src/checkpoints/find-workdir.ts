import { lstatSync } from 'node:fs';
import type { Checkpoint } from '../core/checkpoint.ts';
import { Failure } from '../core/failure.ts';
import { locateWorkdir } from './locate-workdir.ts';
import type { CheckpointStore } from './open-store.ts';
import { readProject } from './project-book.ts';

/**
 * Whether the folder of a checkpoint is there, or was removed and may be made again. Refuses one that cannot be reached: it may
 * be on a volume that is not mounted now, and files put in its place would be hidden by it later.
 */
export function findWorkdir(
  { layout }: Pick<CheckpointStore, 'layout'>,
  { projectId, workdir }: Pick<Checkpoint, 'projectId' | 'workdir'>,
): 'present' | 'gone' {
  const found = lstatSync(workdir, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return 'present';
  const known = readProject(layout, projectId);
  if (found === undefined && typeof known === 'object' && locateWorkdir(known) === 'gone') return 'gone';
  const what = found === undefined ? 'cannot be reached now' : 'is not a folder any more';
  throw new Failure('refused', `${workdir} ${what}.`, {
    hint: 'Nothing was changed. Mount its volume, or put an empty folder there, then run the same command again.',
  });
}
