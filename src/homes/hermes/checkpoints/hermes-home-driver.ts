import { join } from 'node:path';
import { combineDrivers } from '../../../checkpoints/combine-drivers.ts';
import { reclaimStore } from '../../../checkpoints/reclaim/reclaim-store.ts';
import { changeRefs } from '../../../checkpoints/store/change-refs.ts';
import { findStore, openStore } from '../../../checkpoints/store/open-store.ts';
import { promiseRefs } from '../../../checkpoints/store/promised-refs.ts';
import { worktreeDriver } from '../../../checkpoints/worktree-of.ts';
import type { WorkdirPlace } from '../../../core/retention/checkpoint.ts';
import type { HomeDriver } from '../../../core/retention/home-driver.ts';
import type { RunItem } from '../../../core/retention/run.ts';
import type { AddCheckpoints } from '../../home-kind.ts';
import { isHermesCopy } from '../sessions/hermes-copies.ts';
import { foreignCheckpointBytes } from './companion-checkpoints.ts';
import type { HermesCheckpointParts } from './hermes-checkpoint-parts.ts';
import { placeOf, scanHermesCheckpoints } from './hermes-inventory.ts';
import type { ProjectAddress } from './store/project-address.ts';
import { readWorkdir } from './store/read-v1-project.ts';
import { readPage } from './store/read-v2-store.ts';
import { createHermesCheckpointDriver, reclaimHermes } from './trash/hermes-checkpoint-driver.ts';

/** The driver of a Hermes home with its checkpoints. What is taken out of them waits in Coppice's own store beside the home. */
export function hermesHomeDriver(
  parts: HermesCheckpointParts,
  { driver, addCheckpoints }: { readonly driver: HomeDriver; readonly addCheckpoints: AddCheckpoints },
): HomeDriver {
  const { home } = parts;
  const checkpoints = createHermesCheckpointDriver({
    home,
    clock: parts.clock,
    store: () => companionStore(parts),
    trashDir: (runId) => parts.layout.trash(runId),
    places: () => placesNow(parts),
  });
  let purged = false;
  const all = combineDrivers({
    native: driver,
    checkpoints: () => checkpoints,
    ownsStray: (id) => id.startsWith('checkpoints/') || isHermesCopy(id),
    worktree: worktreeDriver(parts),
    withCheckpoints: addCheckpoints,
  });
  // What checkpoints took before the first of them went: a copy that the run itself made and dropped frees nothing.
  let beforeBytes: number | undefined;
  const measure = async (items: readonly RunItem[]) => {
    if (items.some(isOfCheckpoints)) beforeBytes ??= await foreignCheckpointBytes(parts, home);
  };
  return {
    ...all,
    async discard(runId, items) {
      await measure(items);
      return all.discard(runId, items);
    },
    async purge(runId, items) {
      await measure(items);
      purged ||= items.some(({ item }) => item.kind === 'checkpoint' || item.kind === 'worktree');
      return all.purge(runId, items);
    },
    async giveBack(options) {
      const ofSessions = await driver.giveBack(options);
      const given = await checkpoints.giveBack();
      // Only what was purged frees anything, and looking for the rest takes a while.
      const ofCompanion = purged ? await reclaimCompanion(parts, home) : 0;
      if (beforeBytes === undefined) return ofSessions + given + ofCompanion;
      const ofCheckpoints = Math.max(0, beforeBytes - (await foreignCheckpointBytes(parts, home)));
      beforeBytes = undefined;
      return ofSessions + ofCheckpoints;
    },
  };
}

function isOfCheckpoints({ item }: RunItem): boolean {
  return item.kind === 'checkpoint' || item.kind === 'trash' || item.id.startsWith('checkpoints/');
}

/** Gives back the space of all that no checkpoint of Hermes needs, and of what is gone from the trash for good. */
export async function reclaimForeign(parts: HermesCheckpointParts, home: string): Promise<number> {
  const { wasteful } = await scanHermesCheckpoints(home);
  let freedBytes = await reclaimCompanion(parts, home);
  for (const repository of wasteful) {
    freedBytes += await reclaimHermes({ home, store: () => companionStore(parts) }, join(home, repository));
  }
  return freedBytes;
}

/** Whoever writes to it holds the home's lock, and so does whoever calls this. */
async function reclaimCompanion(parts: HermesCheckpointParts, home: string): Promise<number> {
  const store = findStore(parts.storeOptions);
  if (store === undefined) return 0;
  // Together they may be above the limit, so even a little is worth the work here.
  const { maxBytes = Infinity } = parts;
  const allBytes = await foreignCheckpointBytes(parts, home);
  return reclaimStore(store, { maxBytes: allBytes > maxBytes ? 0 : maxBytes });
}

async function companionStore(parts: HermesCheckpointParts) {
  const store = await openStore(parts.storeOptions);
  const { layout } = store;
  return {
    gitDir: layout.gitDir,
    root: layout.root,
    promise: (ids: readonly string[]) => promiseRefs(layout, ids),
    changeRefs: (lines: readonly string[]) => changeRefs(store, lines),
  };
}

/** Where the folders of projects are now, by all that is known of them. */
async function placesNow(parts: HermesCheckpointParts): Promise<(address: ProjectAddress) => WorkdirPlace> {
  const known = { sightings: await parts.sightings(), now: parts.clock.now() };
  return ({ gitDir, repository, hash, ref }) => {
    const workdir = ref === undefined ? readWorkdir(gitDir) : undefined;
    const page = ref === undefined ? undefined : readPage(join(gitDir, 'projects', `${hash}.json`), hash);
    const layout = ref === undefined ? 'v1' : 'v2';
    return placeOf({ layout, repository, hash, ...page, ...(workdir !== undefined && { workdir }) }, known).place;
  };
}
