import type { WorkdirPlace } from '../core/retention/checkpoint.ts';
import type { HomeDriver } from '../core/retention/home-driver.ts';
import { doneUnless, skip } from '../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../core/retention/run.ts';
import { readSnapshots } from './store/read-snapshots.ts';
import { type ReclaimOptions, reclaimStore } from './reclaim/reclaim-store.ts';
import { changeRefs, isRefused } from './store/change-refs.ts';
import type { CheckpointStore } from './store/open-store.ts';
import { readProject } from './store/project-book.ts';
import { KEEP, pinRef, type StoreLayout, snapshotRef, trashRef } from './store/store-layout.ts';
import { idsBelow, lookUpRefs, type RefLookup, readRefs } from './store/store-refs.ts';
import { locateWorkdir } from './project/locate-workdir.ts';

/** The part of a home's driver that is about checkpoints. */
export type CheckpointDriver = Pick<HomeDriver, 'discard' | 'restore' | 'purge' | 'giveBack'>;

/**
 * Takes checkpoints out of sight by giving them another ref, which keeps their objects; gives them back the same way. Each
 * step looks at what is there, so asking again after a crash finishes it.
 */
export function createCheckpointDriver(store: CheckpointStore, options?: ReclaimOptions): CheckpointDriver {
  const { layout } = store;
  let purged = false;
  let newest: Newest | undefined;
  return {
    discard: (runId, items) =>
      change(store, items, async () => {
        const ref = await lookUpRefs(layout);
        const needed = idsBelow(await readRefs(layout, KEEP), KEEP);
        if (!isStillNewest({ runId, items, newest, ref })) newest = await readNewest(store, runId);
        const look = { layout, ref, needed, newest: newest?.ids ?? new Map() };
        return (item) => discardStep(look, runId, item);
      }),
    restore: (runId, items) =>
      change(store, items, async () => {
        const ref = await lookUpRefs(layout);
        return (item) => restoreStep(ref, runId, item);
      }),
    purge(runId, items) {
      purged = true;
      return change(store, items, async () => ({ number }) => ({ lines: [`delete ${trashRef(runId, number)}`] }));
    },
    // Only what was purged frees anything, and looking for the rest takes a while.
    giveBack: async () => (purged ? reclaimStore(store, options) : 0),
  };
}

/** What to do about an item. */
interface Step {
  /** For `git update-ref`. */
  readonly lines: readonly string[];
  /** The sentence that says why it stays as it was. */
  readonly detail?: string;
  /** A git that was killed has begun it: it must be finished one day, whatever else happens. */
  readonly begun?: boolean;
}

interface Look {
  readonly layout: StoreLayout;
  readonly ref: RefLookup;
  readonly needed: ReadonlySet<string>;
  /** By project. */
  readonly newest: ReadonlyMap<string, string>;
}

/** The newest checkpoint of each project. To find it every checkpoint is read, so it serves all groups of a run. */
interface Newest {
  readonly runId: string;
  readonly ids: ReadonlyMap<string, string>;
}

async function readNewest(store: CheckpointStore, runId: string): Promise<Newest> {
  // Also what a run that was cut short has begun to take: it is this run that goes on with it.
  const { checkpoints } = await readSnapshots(store, { halfGone: true });
  return { runId, ids: new Map(checkpoints.toReversed().map(({ id, projectId }) => [projectId, id])) };
}

interface NewestCheck {
  readonly runId: string;
  readonly items: readonly RunItem[];
  readonly newest: Newest | undefined;
  readonly ref: RefLookup;
}

/** True also where no item is judged by it. Takes only add newer ones, so one that is there is still no older than the rest. */
function isStillNewest({ runId, items, newest, ref }: NewestCheck): boolean {
  const judged = items.filter((item) => isSafe(item) && keepsNewest(item));
  const projects = [...new Set(judged.map(({ fingerprint }) => fingerprint))];
  if (projects.length === 0) return true;
  return newest?.runId === runId && projects.every((project) => isThere(newest.ids.get(project), project, ref));
}

function isThere(id: string | undefined, project: string, ref: RefLookup): boolean {
  return id !== undefined && ref(snapshotRef(project, id)) === id;
}

/** What a person named goes whatever it is, and so does what is left of a folder that is gone. */
function keepsNewest({ reason }: RunItem): boolean {
  return reason !== 'named' && reason !== 'gone' && reason !== 'said-gone';
}

/** These go because they are the newest of a folder that nobody uses. */
function isLast({ reason }: RunItem): boolean {
  return reason === 'stale' || reason === 'least-used';
}

function discardStep(look: Look, runId: string, runItem: RunItem): Step {
  const { ref } = look;
  const { number, item, fingerprint } = runItem;
  const { id } = item;
  const [from, to] = [snapshotRef(fingerprint, id), trashRef(runId, number)];
  if (ref(from) === undefined) return ref(to) === id ? { lines: [] } : { lines: [], detail: 'It is gone already.' };
  const begun = ref(to) === id;
  const detail = obstacleTo(look, runItem);
  if (detail !== undefined) return { lines: begun ? [`delete ${to} ${id}`] : [], detail, begun };
  const lines = [`verify ${pinRef(id)} ${NO_ID}`, `delete ${from} ${id}`];
  return { lines: ref(to) === undefined ? [`create ${to} ${id}`, ...lines] : lines, begun };
}

/** Why a checkpoint that is there may not be taken now. */
function obstacleTo({ layout, ref, needed, newest }: Look, runItem: RunItem): string | undefined {
  const { item, reason, fingerprint } = runItem;
  const { id } = item;
  if (ref(pinRef(id)) !== undefined) return 'It was pinned since the plan was made.';
  if (needed.has(id)) return 'A restore needs it now.';
  const place = placeOf(layout, fingerprint);
  if (reason === 'gone' && place !== 'gone') return 'Its folder is not known to be gone now.';
  if (reason === 'said-gone' && place === 'present') return 'Its folder is there now.';
  const isNewest = newest.get(fingerprint) === id;
  if (isLast(runItem) && !isNewest) return 'Its folder was used since the plan was made.';
  if (!isLast(runItem) && keepsNewest(runItem) && isNewest) return 'It is the newest of its project by now.';
  return undefined;
}

function placeOf(layout: StoreLayout, projectId: string): WorkdirPlace {
  const record = readProject(layout, projectId);
  return typeof record === 'string' ? 'unreachable' : locateWorkdir(record);
}

function restoreStep(ref: RefLookup, runId: string, { number, item, fingerprint }: RunItem): Step {
  const { id } = item;
  const [from, to] = [trashRef(runId, number), snapshotRef(fingerprint, id)];
  if (ref(from) !== id) return ref(to) === id ? { lines: [] } : { lines: [], detail: 'It is no longer in the trash.' };
  return { lines: [...(ref(to) === undefined ? [`create ${to} ${id}`] : []), `delete ${from} ${id}`] };
}

/** Git takes it for: there is no such ref. */
const NO_ID = '0'.repeat(40);

/** All changes of a group at once; where that fails, one by one, so that one obstacle stops one item. */
async function change(
  store: CheckpointStore,
  items: readonly RunItem[],
  look: () => Promise<(item: RunItem) => Step>,
): Promise<readonly ItemOutcome[]> {
  const ours = items.filter(isSafe);
  const steps = ours.map(await look());
  const together = await attempt(
    store,
    steps.flatMap(({ lines }) => lines),
  );
  const outcomes = new Map<number, ItemOutcome>();
  for (const [at, item] of ours.entries()) {
    outcomes.set(item.number, together ? doneUnless(item, steps[at]?.detail) : await changeOne(store, item, look));
  }
  return items.map((item) => outcomes.get(item.number) ?? skip(item, NOT_OURS));
}

const NOT_OURS = 'It is not the name of a checkpoint.';

/** What stands in a plan may have passed through a file: nothing else may reach a command that changes refs. */
function isSafe({ item, fingerprint }: RunItem): boolean {
  return /^[0-9a-f]{40}$/.test(item.id) && /^[0-9a-f]{16}$/.test(fingerprint);
}

/** Looks anew each time: a git that was killed half-way has made some of the changes. */
async function changeOne(
  store: CheckpointStore,
  item: RunItem,
  look: () => Promise<(item: RunItem) => Step>,
): Promise<ItemOutcome> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { lines, detail } = (await look())(item);
    if (await attempt(store, lines)) return doneUnless(item, detail);
  }
  const { begun = false } = (await look())(item);
  return begun ? { number: item.number, status: 'unfinished', detail: REFUSED } : skip(item, REFUSED);
}

const TRIES = 2;
const REFUSED = 'The list of checkpoints could not be changed. Run the same command again.';

/** Whether the refs were changed. */
async function attempt(store: CheckpointStore, lines: readonly string[]): Promise<boolean> {
  try {
    await changeRefs(store, lines);
    return true;
  } catch (error) {
    if (!isRefused(error)) throw error;
    return false;
  }
}
