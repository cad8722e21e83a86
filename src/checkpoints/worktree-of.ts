import type { CheckpointParts } from './checkpoint-parts.ts';
import { findStore } from './store/open-store.ts';
import { createWorktreeDriver } from './worktree/worktree-driver.ts';

/** The part of a home's driver that undoes restores. */
export function worktreeDriver({ storeOptions, records }: CheckpointParts): ReturnType<typeof createWorktreeDriver> {
  return createWorktreeDriver({
    findStore: () => findStore(storeOptions),
    // Asked each time: the records about a home of another agent are made by the first change.
    get journal() {
      return records().journal;
    },
    get rewind() {
      return records().rewind;
    },
  });
}
