import { findStore } from '../../checkpoints/store/open-store.ts';
import { createWorktreeDriver } from '../../checkpoints/worktree/worktree-driver.ts';
import type { HomeParts } from '../home-parts.ts';
import { checkpointStoreOptions } from './checkpoint-store.ts';

/** The part of a home's driver that undoes restores. */
export function worktreeDriver(parts: HomeParts): ReturnType<typeof createWorktreeDriver> {
  return createWorktreeDriver({
    findStore: () => findStore(checkpointStoreOptions(parts)),
    // Asked each time: the records about a home of another agent are made by the first change.
    get journal() {
      return parts.store.journal;
    },
    get rewind() {
      return parts.store.rewind;
    },
  });
}
