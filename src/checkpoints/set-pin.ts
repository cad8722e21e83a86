import { Failure } from '../core/failure.ts';
import { type Checkpoint, shortId } from '../core/retention/checkpoint.ts';
import { changeRefs, isRefused } from './store/change-refs.ts';
import type { CheckpointStore } from './store/open-store.ts';
import { pinRef, snapshotRef } from './store/store-layout.ts';
import { lookUpRefs } from './store/store-refs.ts';

/** Protects a checkpoint from every kind of removal, or takes the protection away. Doing it twice changes nothing. */
export async function setPin(store: CheckpointStore, checkpoint: Checkpoint, pinned: boolean): Promise<Checkpoint> {
  const { id, projectId } = checkpoint;
  // In one step with a look at the checkpoint: one that is just being removed must not leave a pin on nothing.
  const pin = [`verify ${snapshotRef(projectId, id)} ${id}`, `update ${pinRef(id)} ${id}`];
  try {
    await changeRefs(store, pinned ? pin : [`delete ${pinRef(id)}`]);
  } catch (error) {
    const there = (await lookUpRefs(store.layout))(snapshotRef(projectId, id)) === id;
    throw isRefused(error) && !there ? removedMeanwhile(id, error) : error;
  }
  return { ...checkpoint, pinned };
}

function removedMeanwhile(id: string, cause: unknown): Failure {
  return new Failure('not-found', `The checkpoint ${shortId(id)} could not be pinned: it is being removed.`, {
    hint: 'See what there is with: coppice checkpoints list --all',
    cause,
  });
}
