import { type CheckpointDriver, createCheckpointDriver } from '../checkpoints/checkpoint-driver.ts';
import { type ReclaimOptions, reclaimStore } from '../checkpoints/reclaim/reclaim-store.ts';
import { findStore } from '../checkpoints/store/open-store.ts';
import type { HomeDriver } from '../core/retention/home-driver.ts';
import { withReadableCheckpoints } from './checkpoints/checkpoint-inventory.ts';
import { checkpointStoreOptions } from './checkpoints/checkpoint-store.ts';
import { worktreeDriver } from './checkpoints/worktree-driver.ts';
import { combineDrivers } from './combine-drivers.ts';
import type { HomeParts } from './home-parts.ts';
import { policyFromConfig } from './retention/policy-from-config.ts';

/** The driver of a native home with its checkpoints. Nothing about checkpoints is created or looked at before it is needed. */
export function homeDriver(parts: HomeParts, native: HomeDriver): HomeDriver {
  const find = () => findStore(checkpointStoreOptions(parts));
  const { maxBytes } = policyFromConfig(parts.config).checkpoints;
  let known: CheckpointDriver | undefined;
  return combineDrivers({
    native,
    checkpoints() {
      const store = find();
      if (store !== undefined) known ??= createCheckpointDriver(store, { maxBytes });
      return store && known;
    },
    worktree: worktreeDriver(parts),
    withCheckpoints: (inventory) => withReadableCheckpoints(parts, inventory),
  });
}

/** Gives space of the store back, where there is one. The caller holds the home's lock. */
export async function reclaimCheckpoints(parts: HomeParts, options?: ReclaimOptions): Promise<number> {
  const store = findStore(checkpointStoreOptions(parts));
  const { maxBytes } = policyFromConfig(parts.config).checkpoints;
  return store === undefined ? 0 : reclaimStore(store, { maxBytes, ...options });
}
