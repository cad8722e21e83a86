import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CheckpointStore, openStore, type StoreOptions } from '../../checkpoints/open-store.ts';

export interface LookingStore extends Disposable {
  readonly store: CheckpointStore;
}

/**
 * A store for as long as somebody looks: what a comparison has to write goes with it, so that looking leaves no trace in a home
 * of another agent.
 */
export async function openLookingStore(options: StoreOptions): Promise<LookingStore> {
  const root = mkdtempSync(join(tmpdir(), 'coppice-look-'));
  const remove = () => rmSync(root, { recursive: true, force: true });
  try {
    return { store: await openStore({ ...options, root: join(root, 'checkpoints') }), [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw error;
  }
}
