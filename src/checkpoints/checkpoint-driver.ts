import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HomeDriver } from '../core/home-driver.ts';
import { doneUnless } from '../core/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../core/run.ts';
import { SECOND_MS } from '../core/time.ts';
import { GitError } from '../platform/run-git.ts';
import { locateWorkdir } from './locate-workdir.ts';
import type { CheckpointStore } from './open-store.ts';
import { readProject } from './project-book.ts';
import { readSnapshots } from './read-snapshots.ts';
import { type ReclaimOptions, reclaimStore } from './reclaim-store.ts';
import { KEEP, pinRef, type StoreLayout, snapshotRef, trashRef } from './store-layout.ts';
import { changeRefs, idsBelow, lookUpRefs, type RefLookup, readRefs } from './store-refs.ts';

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
    async discard(runId, items) {
      const ref = await lookUpRefs(layout);
      const needed = idsBelow(await readRefs(layout, KEEP), KEEP);
      if (!isStillNewest({ runId, items, newest, ref })) newest = await readNewest(store, runId);
      const look = { layout, ref, needed, newest: newest?.ids ?? new Map() };
      return change(layout, items, (item) => discardLines(look, runId, item));
    },
    async restore(runId, items) {
      const ref = await lookUpRefs(layout);
      return change(layout, items, (item) => restoreLines(ref, runId, item));
    },
    async purge(runId, items) {
      purged = true;
      return change(layout, items, ({ number }) => [`delete ${trashRef(runId, number)}`]);
    },
    // Only what was purged frees anything, and looking for the rest takes a while.
    giveBack: async () => (purged ? reclaimStore(store, options) : 0),
  };
}

/** Lines for `git update-ref`, or the sentence that says why not. */
type Lines = readonly string[] | string;

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
  const { checkpoints } = await readSnapshots(store);
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
  return reason !== 'named' && reason !== 'gone';
}

function discardLines({ layout, ref, needed, newest }: Look, runId: string, runItem: RunItem): Lines {
  const { number, item, reason, fingerprint } = runItem;
  const { id } = item;
  const [from, to] = [snapshotRef(fingerprint, id), trashRef(runId, number)];
  if (ref(from) === undefined) return ref(to) === id ? [] : 'It is gone already.';
  if (ref(pinRef(id)) !== undefined) return 'It was pinned since the plan was made.';
  if (needed.has(id)) return 'A restore needs it now.';
  if (reason === 'gone') {
    const record = readProject(layout, fingerprint);
    if (typeof record === 'string' || locateWorkdir(record) !== 'gone')
      return 'Its folder is not known to be gone now.';
  }
  if (keepsNewest(runItem) && newest.get(fingerprint) === id) return 'It is the newest of its project by now.';
  return [
    ...(ref(to) === undefined ? [`create ${to} ${id}`] : []),
    `verify ${pinRef(id)} ${NO_ID}`,
    `delete ${from} ${id}`,
  ];
}

function restoreLines(ref: RefLookup, runId: string, { number, item, fingerprint }: RunItem): Lines {
  const { id } = item;
  const [from, to] = [trashRef(runId, number), snapshotRef(fingerprint, id)];
  if (ref(from) !== id) return ref(to) === id ? [] : 'It is no longer in the trash.';
  return [...(ref(to) === undefined ? [`create ${to} ${id}`] : []), `delete ${from} ${id}`];
}

/** Git takes it for: there is no such ref. */
const NO_ID = '0'.repeat(40);

/** All changes of a group at once; where that fails, one by one, so that one obstacle stops one item. */
async function change(
  layout: StoreLayout,
  items: readonly RunItem[],
  linesFor: (item: RunItem) => Lines,
): Promise<readonly ItemOutcome[]> {
  const steps = items.map((item) => ({ number: item.number, lines: isSafe(item) ? linesFor(item) : NOT_OURS }));
  const together = await attempt(
    layout,
    steps.flatMap(({ lines }) => (typeof lines === 'string' ? [] : lines)),
  );
  const outcomes: ItemOutcome[] = [];
  for (const { number, lines } of steps) {
    const detail = typeof lines === 'string' ? lines : together && (await attempt(layout, lines));
    outcomes.push(doneUnless({ number }, detail));
  }
  return outcomes;
}

const NOT_OURS = 'It is not the name of a checkpoint.';

/** What stands in a plan may have passed through a file: nothing else may reach a command that changes refs. */
function isSafe({ item, fingerprint }: RunItem): boolean {
  return /^[0-9a-f]{40}$/.test(item.id) && /^[0-9a-f]{16}$/.test(fingerprint);
}

/** A sentence when it failed. */
async function attempt(layout: StoreLayout, lines: readonly string[]): Promise<string | undefined> {
  try {
    healLocks(layout, lines);
    await changeRefs(layout, lines);
    return undefined;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return `git refused it: ${error.stderr.trim().split('\n', 1).join()}`;
  }
}

/**
 * Removes what a killed git left on the refs at hand: nobody but a run of this home moves checkpoints, and this is that run. The
 * lock for all refs is used by others too, each for a moment.
 */
function healLocks({ gitDir }: StoreLayout, lines: readonly string[]): void {
  for (const [verb, name = ''] of lines.map((line) => line.split(' '))) {
    if (verb !== 'verify') rmSync(join(gitDir, `${name}.lock`), { force: true });
  }
  const shared = join(gitDir, 'packed-refs.lock');
  const stat = lstatSync(shared, { throwIfNoEntry: false });
  if (stat !== undefined && Date.now() - stat.mtimeMs > 10 * SECOND_MS) rmSync(shared, { force: true });
}
