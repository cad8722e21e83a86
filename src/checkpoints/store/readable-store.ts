import { Failure } from '../../core/failure.ts';
import { type CheckpointStore, findStore, type StoreOptions } from './open-store.ts';

/** The store, if there is one of a version that this program knows. */
export function readableStore(options: StoreOptions): CheckpointStore | undefined {
  try {
    return findStore(options);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}
