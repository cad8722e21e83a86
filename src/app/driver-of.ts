import { type CheckpointDriver, createCheckpointDriver } from '../checkpoints/checkpoint-driver.ts';
import { combineDrivers } from '../checkpoints/combine-drivers.ts';
import { findStore } from '../checkpoints/store/open-store.ts';
import { worktreeDriver } from '../checkpoints/worktree-of.ts';
import type { HomeDriver } from '../core/retention/home-driver.ts';
import { MINUTE_MS } from '../core/time.ts';
import type { AddCheckpoints } from '../homes/home-kind.ts';
import { createNativeDriver } from '../homes/native/native-driver.ts';
import { withReadableCheckpoints } from './checkpoints/checkpoint-inventory.ts';
import { checkpointParts } from './checkpoints/checkpoints-of.ts';
import type { HomeParts } from './home-parts.ts';

/** The driver of a home of whatever kind, with its checkpoints. */
export function driverOf(parts: HomeParts): HomeDriver {
  const addCheckpoints: AddCheckpoints = (inventory) => withReadableCheckpoints(parts, inventory);
  return parts.foreign?.wholeDriver(checkpointParts(parts), addCheckpoints) ?? nativeDriver(parts, addCheckpoints);
}

/** Nothing about checkpoints is created or looked at before it is needed. */
function nativeDriver(parts: HomeParts, addCheckpoints: AddCheckpoints): HomeDriver {
  const { store, layout, clock, config, objects } = parts;
  const own = checkpointParts(parts);
  const activeGraceMs = config.sessions.active_grace_minutes * MINUTE_MS;
  let known: CheckpointDriver | undefined;
  return combineDrivers({
    native: createNativeDriver({ store, layout, clock, activeGraceMs, codec: config.archive.codec, objects }),
    checkpoints() {
      const found = findStore(own.storeOptions);
      if (found !== undefined) known ??= createCheckpointDriver(found, { maxBytes: own.maxBytes });
      return found && known;
    },
    worktree: worktreeDriver(own),
    withCheckpoints: addCheckpoints,
  });
}
