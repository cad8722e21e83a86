import { join } from 'node:path';
import { type CheckpointStore, openStore, type StoreOptions } from '../../../checkpoints/store/open-store.ts';
import { temporaryFolder } from '../../../platform/leftovers/temporary-folder.ts';

export interface LookingStore extends Disposable {
  readonly store: CheckpointStore;
}

/**
 * A store for as long as somebody looks: what a comparison has to write goes with it, so that looking leaves no trace in a home
 * of another agent.
 */
export async function openLookingStore(options: StoreOptions): Promise<LookingStore> {
  const folder = temporaryFolder('coppice-look');
  const remove = () => folder[Symbol.dispose]();
  try {
    return { store: await openStore({ ...options, root: join(folder.path, 'checkpoints') }), [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw error;
  }
}
