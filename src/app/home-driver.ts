import { type CheckpointDriver, createCheckpointDriver } from '../checkpoints/checkpoint-driver.ts';
import { findStore } from '../checkpoints/open-store.ts';
import { type ReclaimOptions, reclaimStore } from '../checkpoints/reclaim-store.ts';
import { createWorktreeDriver } from '../checkpoints/worktree-driver.ts';
import { Failure } from '../core/failure.ts';
import type { HomeDriver } from '../core/home-driver.ts';
import type { Inventory } from '../core/inventory.ts';
import type { Problem } from '../core/problem.ts';
import { GitError } from '../platform/run-git.ts';
import { withCheckpoints } from './checkpoint-inventory.ts';
import { checkpointStoreOptions } from './checkpoint-store.ts';
import { combineDrivers } from './combine-drivers.ts';
import type { HomeParts } from './home-parts.ts';
import { policyFromConfig } from './sessions/session-rules.ts';

/** The driver of a native home with its checkpoints. Nothing about checkpoints is created or looked at before it is needed. */
export function homeDriver(parts: HomeParts, native: HomeDriver): HomeDriver {
  const find = () => findStore(checkpointStoreOptions(parts));
  const { maxBytes } = policyFromConfig(parts.config).checkpoints;
  let known: CheckpointDriver | undefined;
  return combineDrivers({
    native,
    checkpoints() {
      if (parts.foreign !== undefined) return undefined;
      const store = find();
      if (store !== undefined) known ??= createCheckpointDriver(store, { maxBytes });
      return store && known;
    },
    worktree: createWorktreeDriver({
      findStore: find,
      // Asked each time: the records about a home of another agent are made by the first change.
      get journal() {
        return parts.store.journal;
      },
      get rewind() {
        return parts.store.rewind;
      },
    }),
    withCheckpoints: async (inventory) =>
      parts.foreign === undefined ? withReadableCheckpoints(parts, inventory) : inventory,
  });
}

/** Sessions are looked after also where checkpoints cannot be, such as without git or with a store of a newer version. */
async function withReadableCheckpoints(parts: HomeParts, inventory: Inventory): Promise<Inventory> {
  try {
    return await withCheckpoints(parts, inventory);
  } catch (error) {
    if (!(error instanceof Failure || error instanceof GitError)) throw error;
    const hint = error instanceof Failure ? error.hint : 'Look closer with: coppice checkpoints verify';
    const problem: Problem = {
      kind: 'checkpoints-unreadable',
      subject: 'checkpoints/store',
      message: `No checkpoint is looked at: ${error.message}`,
      ...(hint !== undefined && { hint }),
    };
    return { ...inventory, problems: [...inventory.problems, problem] };
  }
}

/** Gives space of the store back, where there is one. The caller holds the home's lock. */
export async function reclaimCheckpoints(parts: HomeParts, options?: ReclaimOptions): Promise<number> {
  const store = findStore(checkpointStoreOptions(parts));
  const { maxBytes } = policyFromConfig(parts.config).checkpoints;
  return store === undefined ? 0 : reclaimStore(store, { maxBytes, ...options });
}
