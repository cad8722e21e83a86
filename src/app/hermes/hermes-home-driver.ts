import { join } from 'node:path';
import { findStore, openStore } from '../../checkpoints/open-store.ts';
import { reclaimStore } from '../../checkpoints/reclaim-store.ts';
import type { HomeDriver } from '../../core/home-driver.ts';
import {
  createHermesCheckpointDriver,
  reclaimHermes,
} from '../../homes/hermes/checkpoints/hermes-checkpoint-driver.ts';
import type { ProjectAddress } from '../../homes/hermes/checkpoints/project-address.ts';
import { readPage } from '../../homes/hermes/checkpoints/read-v2-store.ts';
import { withReadableCheckpoints } from '../checkpoint-inventory.ts';
import { checkpointStoreOptions } from '../checkpoint-store.ts';
import { combineDrivers } from '../combine-drivers.ts';
import type { ForeignHome, HomeParts } from '../home-parts.ts';
import { worktreeDriver } from '../worktree-driver.ts';
import { placeOf, scanHermesCheckpoints } from './hermes-inventory.ts';

/** The driver of a Hermes home with its checkpoints. What is taken out of them waits in Coppice's own store beside the home. */
export function hermesHomeDriver(parts: HomeParts, { path: home, driver }: ForeignHome): HomeDriver {
  const checkpoints = createHermesCheckpointDriver({
    home,
    clock: parts.clock,
    store: () => companionStore(parts),
    trashDir: (runId) => parts.layout.trash(runId),
    isGone: (address) => isGone(address),
  });
  let purged = false;
  const all = combineDrivers({
    native: driver,
    checkpoints: () => checkpoints,
    ownsStray: (id) => id.startsWith('checkpoints/'),
    worktree: worktreeDriver(parts),
    withCheckpoints: (inventory) => withReadableCheckpoints(parts, inventory),
  });
  return {
    ...all,
    purge(runId, items) {
      purged ||= items.some(({ item }) => item.kind === 'checkpoint' || item.kind === 'worktree');
      return all.purge(runId, items);
    },
    // Only what was purged frees anything, and looking for the rest takes a while.
    giveBack: async () => (await all.giveBack()) + (purged ? await reclaimCompanion(parts) : 0),
  };
}

/** Gives back the space of all that no checkpoint of Hermes needs, and of what is gone from the trash for good. */
export async function reclaimForeign(parts: HomeParts, home: string): Promise<number> {
  const { wasteful } = await scanHermesCheckpoints(home, () => false);
  let freedBytes = await reclaimCompanion(parts);
  for (const repository of wasteful) {
    freedBytes += await reclaimHermes({ home, store: () => companionStore(parts) }, join(home, repository));
  }
  return freedBytes;
}

async function reclaimCompanion(parts: HomeParts): Promise<number> {
  const store = findStore(checkpointStoreOptions(parts));
  return store === undefined ? 0 : reclaimStore(store);
}

async function companionStore(parts: HomeParts) {
  return (await openStore(checkpointStoreOptions(parts))).layout;
}

/** Only the store that projects share has evidence of it. */
function isGone({ gitDir, hash, ref }: ProjectAddress): boolean {
  const page = ref === undefined ? undefined : readPage(join(gitDir, 'projects', `${hash}.json`), hash);
  return page !== undefined && placeOf(page) === 'gone';
}
