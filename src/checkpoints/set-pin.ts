import type { Checkpoint } from '../core/checkpoint.ts';
import { runGit } from '../platform/run-git.ts';
import type { CheckpointStore } from './open-store.ts';
import { pinRef } from './store-layout.ts';

/** Protects a checkpoint from every kind of removal, or takes the protection away. Doing it twice changes nothing. */
export async function setPin(
  { layout }: CheckpointStore,
  checkpoint: Checkpoint,
  pinned: boolean,
): Promise<Checkpoint> {
  const { id } = checkpoint;
  const change = pinned ? [pinRef(id), id] : ['-d', pinRef(id)];
  await runGit({ gitDir: layout.gitDir }, ['update-ref', ...change]);
  return { ...checkpoint, pinned };
}
