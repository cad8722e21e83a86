import { Failure } from '../../core/failure.ts';
import { createHomeLock } from '../../store/sqlite/sqlite-home-lock.ts';
import type { HomeParts } from '../home-parts.ts';

/**
 * Runs that were begun and that nobody is at. Whoever holds the lock of a home is at work on what is unfinished, or about to end it, in
 * this process too; so they are asked for again with the lock held.
 */
export async function cutShortRuns({ store, layout }: Pick<HomeParts, 'store' | 'layout'>): Promise<readonly string[]> {
  const begun = await store.journal.unfinished();
  if (begun.length === 0) return [];
  try {
    using _alone = await createHomeLock(layout.lock, UNNAMED).acquire('looking', 0);
    return await store.journal.unfinished();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Where not even a lock can be taken, on a disk that is only read for example, nobody else works either.
    return error.code === 'locked' ? [] : begun;
  }
}

/** A look lasts a moment, so it does not say whose it is: in a damaged home nothing is written. */
const UNNAMED = { set: async () => {}, get: async () => undefined };
