import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { Checkpoint } from '../../core/retention/checkpoint.ts';
import { locateWorkdir, sameFile } from '../project/locate-workdir.ts';
import { Folder } from './worktree-folder.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { readProject } from '../store/project-book.ts';

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
  throw notThere(workdir, found === undefined ? 'cannot be reached now' : 'is not a folder any more');
}

/** Opens the folder of a checkpoint, made again where it was removed: in the very directory that held it, and in no other. */
export function openWorkdir(store: Pick<CheckpointStore, 'layout'>, target: Pick<Checkpoint, 'projectId' | 'workdir'>) {
  const { projectId, workdir } = target;
  if (findWorkdir(store, target) === 'present') return new Folder(workdir);
  const known = readProject(store.layout, projectId);
  using above = new Folder(realpathSync(dirname(workdir)));
  if (typeof known !== 'object' || !sameFile(above.id, known.parent)) throw notThere(workdir, 'cannot be reached now');
  const name = Buffer.from(basename(workdir));
  above.make(name);
  const made = above.open(name);
  if (made === undefined) throw notThere(workdir, 'is not a folder any more');
  return made;
}

function notThere(workdir: string, what: string): Failure {
  return new Failure('refused', `${workdir} ${what}.`, {
    hint: 'Nothing was changed. Mount its volume, or put an empty folder there, then run the same command again.',
  });
}
