import {
  type CheckpointRestoreOptions,
  type CheckpointRestorePreview,
  type CheckpointRestoreResult,
  type PreviewOptions,
  previewTarget,
  restoreTarget,
} from '../../../checkpoints/restore-checkpoint.ts';
import { changeRefs } from '../../../checkpoints/store/change-refs.ts';
import { openStore } from '../../../checkpoints/store/open-store.ts';
import { SNAPSHOTS } from '../../../checkpoints/store/store-layout.ts';
import { readRefs } from '../../../checkpoints/store/store-refs.ts';
import { Failure } from '../../../core/failure.ts';
import type { HermesCheckpointParts } from './hermes-checkpoint-parts.ts';
import { adoptTarget, findHermesTarget } from './hermes-target.ts';
import { openLookingStore } from './looking-store.ts';

export interface ForeignRestore {
  readonly home: string;
  readonly id: string;
}

/**
 * Takes the files of a working directory back to a checkpoint of Hermes. Both what they become and what they were are kept in
 * Coppice's own store beside the home until the undo is over, whatever Hermes prunes meanwhile. The caller holds the home's lock.
 */
export async function restoreForeign(
  parts: HermesCheckpointParts,
  { home, id }: ForeignRestore,
  options: CheckpointRestoreOptions,
): Promise<CheckpointRestoreResult> {
  if (options.withSession === true) throw noSession();
  const target = await findHermesTarget(parts, home, id);
  const store = await openStore(target.storeOptions);
  try {
    const result = await restoreTarget(parts, store, { target: await adoptTarget(store, target), ...options });
    return { ...result, checkpoint: target.checkpoint };
  } finally {
    // The run keeps what its undo needs. Nobody lists the checkpoints of this store, so none is left in it.
    const refs = [...(await readRefs(store.layout)).keys()].filter((name) => name.startsWith(`${SNAPSHOTS}/`));
    await changeRefs(
      store,
      refs.map((name) => `delete ${name}`),
    );
  }
}

/** What it would do now. Leaves no trace. */
export async function previewForeign(
  parts: HermesCheckpointParts,
  { home, id }: ForeignRestore,
  options: PreviewOptions,
): Promise<CheckpointRestorePreview> {
  const target = await findHermesTarget(parts, home, id);
  using looking = await openLookingStore(target.storeOptions);
  const preview = await previewTarget(looking.store, {
    target: await adoptTarget(looking.store, target),
    ...options,
  });
  return { ...preview, checkpoint: target.checkpoint };
}

function noSession(): Failure {
  return new Failure('usage', 'A checkpoint of Hermes does not say to which conversation it belongs.', {
    hint: 'Leave out --with-session to take the files back alone.',
  });
}
