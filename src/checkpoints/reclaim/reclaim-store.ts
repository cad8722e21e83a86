import { lstatSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { DAY_MS, type EpochMs, SECOND_MS } from '../../core/time.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { syncDir } from '../../platform/files/private-files.ts';
import { removeBelow } from '../../platform/files/remove-tree.ts';
import { ifPossible } from '../../platform/if-possible.ts';
import { freeBytes } from '../../platform/machine/file-system-facts.ts';
import { DEBRIS_AGE_MS, findDebris } from '../store/find-debris.ts';
import { explainStoreError } from '../store/git-failures.ts';
import { shareStore } from '../worktree/heal-store.ts';
import { trimIndexes } from '../store/index-cache.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { brokenPromises, promisedSince } from '../store/promised-refs.ts';
import type { StoreLayout } from '../store/store-layout.ts';
import { readRefs } from '../store/store-refs.ts';
import { readStoreSize, walkStore } from '../store/store-size.ts';
import { incompleteOf, objectsOf, reachableObjects } from './reachable-objects.ts';
import { forgetFailures, isBackingOff, rememberFailure } from './reclaim-memory.ts';
import { isCompleteWithout, packFiles, writePack } from './reclaim-packs.ts';
import { planReclaim, type ReclaimPlan } from './reclaim-plan.ts';
import { staleFiles } from './reclaim-projects.ts';

export interface ReclaimOptions {
  /** The limit for the store with its cache: above it, more is packed. */
  readonly maxBytes?: number | undefined;
  /**
   * How old unneeded objects must be, and debris. Takes are safe without any: they hold the store while they write. It is for
   * a store that others write to without that lock.
   */
  readonly graceMs?: number;
  /** A person asks, so an earlier failure is no reason to wait. */
  readonly insist?: boolean;
}

/** The index of a project that is used no more waits this long, or until the room is needed. */
const IDLE_MS = 7 * DAY_MS;
/** Takes that come meanwhile wait as long as this does, so it gives up soon and leaves the rest to the next time. */
const LOCK_WAIT_MS = 5 * SECOND_MS;

/** More than a view of the store takes, which is links and nothing else. */
const ROOM_BYTES = 2 * 1024 * 1024;

/**
 * Gives the space of objects that nothing needs back to the disk, and packs those in use. Most of the work goes on beside
 * running takes; only while files are unlinked is the store held alone. One process at a time may do this. It never fails for
 * its caller: what went wrong is remembered, shown as a problem, and tried again later. Returns how many bytes were freed.
 */
export async function reclaimStore(store: CheckpointStore, options: ReclaimOptions = {}): Promise<number> {
  const { layout, clock } = store;
  if (options.insist !== true && isBackingOff(layout, clock.now())) return 0;
  try {
    const freedBytes = (await reclaim(store, options)) + (await fitIndexes(layout, options));
    forgetFailures(layout);
    return freedBytes;
  } catch (error) {
    // Takes go first. What could not be done now is done the next time.
    if (error instanceof Failure && error.code === 'locked') return 0;
    const { message } = explainStoreError(error, layout.gitDir) as Error;
    rememberFailure(layout, message, clock.now());
    return 0;
  }
}

interface Work {
  readonly plan: ReclaimPlan;
  readonly debris: readonly string[];
  /** What the refs pointed at when it was decided. */
  readonly knownIds: ReadonlySet<string>;
  readonly before: EpochMs;
  readonly idleBefore: EpochMs;
  readonly fresh: string | undefined;
}

async function reclaim(store: CheckpointStore, options: ReclaimOptions): Promise<number> {
  const work = await prepare(store, options);
  return work === undefined ? 0 : removeFiles(store, work);
}

/** Decides, and writes the new pack if there is to be one. Shared, so that nobody takes it for left behind meanwhile. */
async function prepare(
  store: CheckpointStore,
  { maxBytes = Infinity, graceMs }: ReclaimOptions,
): Promise<Work | undefined> {
  const { layout } = store;
  using _shared = await shareStore(store, LOCK_WAIT_MS);
  const refs = await readRefs(layout);
  // Throws when anything is missing: a damaged store is for a person to look at before anything in it goes.
  const reachable = await reachableObjects(layout);
  const size = await readStoreSize(layout);
  const tight = size.diskBytes > maxBytes;
  // Files carry the time of the file system, whatever clock the rest goes by.
  const before = graceMs === undefined ? Infinity : Date.now() - graceMs;
  const plan = planReclaim(size, { reachable, before, freeBytes: freeBytes(layout.gitDir), tight });
  const debris = [
    ...findDebris(layout, Date.now() - (graceMs ?? DEBRIS_AGE_MS)).map((path) => join(layout.gitDir, path)),
    ...brokenPromises(layout, Date.now() - DEBRIS_AGE_MS),
  ];
  const idleBefore = store.clock.now() - IDLE_MS;
  const stale = staleFiles(layout, { refs, idleBefore });
  if ([plan.dead, plan.copies, plan.packs, plan.fresh, debris, stale].every(({ length }) => length === 0))
    return undefined;
  const lines = plan.fresh.map((id) => reachable.get(id) ?? id);
  const fresh = lines.length === 0 ? undefined : await writePack(layout, lines);
  return { plan, debris, knownIds: new Set(refs.values()), before, idleBefore, fresh };
}

/** The cache has the room that the store leaves. */
async function fitIndexes(layout: StoreLayout, { maxBytes = Infinity }: ReclaimOptions): Promise<number> {
  return trimIndexes(layout, maxBytes - (await walkStore(layout)).diskBytes);
}

/** Holds the store alone, makes sure once more, and unlinks. Until the first file goes, a failure leaves all as it was. */
async function removeFiles(store: CheckpointStore, work: Work): Promise<number> {
  const { layout, lock } = store;
  const { plan, fresh, knownIds } = work;
  // To make sure about packs takes a little room. Where there is none, the loose objects go first and the packs the next time.
  const roomy = freeBytes(layout.gitDir) > ROOM_BYTES;
  const packs = roomy ? plan.packs.filter((name) => name !== fresh) : [];
  let begun = false;
  try {
    // What was taken since may have found a use for something in them, which is no damage: that is looked at below.
    if (!(await isCompleteWithout(layout, packs, [...knownIds]))) throw notComplete(layout);
    using _alone = await lock.alone(LOCK_WAIT_MS);
    const refs = await readRefs(layout);
    const promised = await wholeOf(layout, promisedSince(layout, Date.now() - DEBRIS_AGE_MS));
    const ids = new Set([...refs.values(), ...promised]);
    const appeared = [...ids].filter((id) => !knownIds.has(id));
    const needed = await objectsOf(layout, appeared);
    const packsGo = await isCompleteWithout(layout, packs, appeared);
    begun = true;
    const freedBytes = unlinkAll(layout, [
      ...work.debris,
      ...plan.dead
        .filter((id) => !needed.has(id))
        .map((id) => loosePath(layout, id))
        .filter((path) => isOld(path, work)),
      ...plan.copies.map((id) => loosePath(layout, id)),
      ...(packsGo ? packs.flatMap((name) => packFiles(layout, name)) : []),
      ...staleFiles(layout, { refs, idleBefore: work.idleBefore }),
    ]);
    removeEmptyFolders(layout);
    syncDir(join(layout.objects, 'pack'));
    return Math.max(0, freedBytes - (fresh === undefined ? 0 : bytesOf(packFiles(layout, fresh))));
  } catch (error) {
    // All that it holds is still in its old place.
    if (!begun && fresh !== undefined && !plan.packs.includes(fresh)) unlinkAll(layout, packFiles(layout, fresh));
    throw error;
  }
}

/** What a killed process promised may be what a kill left unfinished elsewhere: of such nothing is needed. */
async function wholeOf(layout: StoreLayout, ids: readonly string[]): Promise<readonly string[]> {
  const broken = ids.length === 0 ? [] : await incompleteOf(layout, ids);
  return ids.filter((id) => !broken.includes(id));
}

/** Each takes a block, and there may be as many as objects. git makes them again when it needs them. */
function removeEmptyFolders({ home, objects }: StoreLayout): void {
  using folder = openBelow(home, objects);
  for (const name of folder?.names() ?? []) {
    // One that is not empty is in use.
    if (/^[0-9a-f]{2}$/.test(name)) ifPossible(() => rmdirSync(folder?.at(name) ?? ''));
  }
}

function unlinkAll({ home }: StoreLayout, paths: readonly string[]): number {
  const freedBytes = bytesOf(paths);
  removeBelow(home, paths);
  return freedBytes;
}

function bytesOf(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + (lstatSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * 512, 0);
}

function loosePath({ objects }: StoreLayout, id: string): string {
  return join(objects, id.slice(0, 2), id.slice(2));
}

/** For those who heed no lock: git renews the time of an object that somebody writes a second time. */
function isOld(path: string, { before }: Work): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.mtimeMs <= before;
}

function notComplete({ gitDir }: StoreLayout): Failure {
  return new Failure('integrity', `Packs in ${gitDir} that seemed to hold nothing of value do.`, {
    hint: 'Nothing was removed. Look closer with: coppice checkpoints verify',
  });
}
