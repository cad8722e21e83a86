import { Failure } from '../../core/failure.ts';
import type { Checkpoint } from '../../core/retention/checkpoint.ts';
import { readSnapshots } from './read-snapshots.ts';
import type { CheckpointStore } from './open-store.ts';

/** A checkpoint by its id or the first characters of it, with the one taken before it in the same project. */
export interface FoundSnapshot {
  readonly checkpoint: Checkpoint;
  readonly previous: Checkpoint | undefined;
}

export async function findSnapshot(store: CheckpointStore, typed: string): Promise<FoundSnapshot> {
  return findAmong((await readSnapshots(store)).checkpoints, typed);
}

/**
 * The same among checkpoints at hand, newest first. Only letters and digits of an id are looked at: no name of a ref or an
 * option of git can be given here.
 */
export function findAmong(checkpoints: readonly Checkpoint[], typed: string): FoundSnapshot {
  if (!/^[0-9a-f]{4,40}$/i.test(typed)) {
    throw new Failure('usage', `'${typed}' is not the id of a checkpoint.`, {
      hint: 'Give at least its first four characters. List them with: coppice checkpoints list --all',
    });
  }
  const matches = checkpoints.filter(({ id }) => id.startsWith(typed.toLowerCase()));
  const [checkpoint] = matches;
  if (checkpoint === undefined) {
    throw new Failure('not-found', `There is no checkpoint ${typed}.`, {
      hint: 'List them with: coppice checkpoints list --all',
    });
  }
  if (matches.length > 1) {
    throw new Failure('usage', `${matches.length} checkpoints begin with ${typed}.`, {
      hint: `Give more characters, such as ${checkpoint.id.slice(0, typed.length + 4)}.`,
    });
  }
  const ofProject = checkpoints.filter(({ projectId }) => projectId === checkpoint.projectId);
  return { checkpoint, previous: ofProject[ofProject.indexOf(checkpoint) + 1] };
}
