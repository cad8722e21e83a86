import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkdirPlace } from '../../../../core/retention/checkpoint.ts';
import type { HomeDriver } from '../../../../core/retention/home-driver.ts';
import { doneUnless, skip } from '../../../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../../../core/retention/run.ts';
import { type Clock, SECOND_MS } from '../../../../core/time.ts';
import { skipAll } from '../../../../keeping/skip-all.ts';
import { errorCode } from '../../../../platform/error-code.ts';
import { obstacleTo } from '../../../../platform/error-sentence.ts';
import { openBelow } from '../../../../platform/files/directory-handle.ts';
import { writeFileAtomic } from '../../../../platform/files/private-files.ts';
import { GitError } from '../../../../platform/git/run-git.ts';
import { ifPossible } from '../../../../platform/if-possible.ts';
import { copyStamp, findHermesCopies, isHermesCopy } from '../../sessions/hermes-copies.ts';
import { byProject, type ProjectAddress } from '../store/project-address.ts';
import { reclaimRepository } from '../store/reclaim-repository.ts';
import { discardSnapshots } from './discard-snapshots.ts';
import { purgeSnapshots } from './purge-snapshots.ts';
import { returnSnapshots } from './return-snapshots.ts';
import { openSnapshotTrash, type SnapshotTrash, type TrashStore } from './snapshot-trash.ts';
import { openWholeTrash, type WholeTrash } from './whole-trash.ts';
import { withCheckpointsLock } from './with-checkpoints-lock.ts';

export interface CheckpointDriverParts {
  readonly home: string;
  readonly clock: Clock;
  /** The repository of Coppice beside the home, in which snapshots wait. Made by whoever asks first. */
  readonly store: () => Promise<TrashStore & { readonly root: string }>;
  readonly trashDir: (runId: string) => string;
  /** Where the folders of projects are now. */
  places(): Promise<(address: ProjectAddress) => WorkdirPlace>;
}

/** The part of a Hermes home's driver that is about its checkpoints: single snapshots, and whole layouts of before. */
export function createHermesCheckpointDriver(
  parts: CheckpointDriverParts,
): Pick<HomeDriver, 'discard' | 'restore' | 'purge' | 'giveBack'> {
  const { home, trashDir } = parts;
  const whole = openWholeTrash(home, trashDir);
  const touched = new Set<string>();
  const eachProject = async (items: readonly RunItem[], act: (project: Project) => Promise<readonly ItemOutcome[]>) => {
    const snapshots = items.filter(({ item }) => item.kind === 'checkpoint');
    const projects = byProject(home, snapshots);
    const trash: SnapshotTrash | undefined = projects.size === 0 ? undefined : await openTrash(parts);
    const outcomes: ItemOutcome[] = [];
    for (const project of projects.values()) if (trash) outcomes.push(...(await act({ ...project, trash })));
    const known = new Set(outcomes.map(({ number }) => number));
    const strange = snapshots.filter(({ number }) => !known.has(number));
    return [...outcomes, ...strange.map((item) => skip(item, NOT_A_CHECKPOINT))];
  };
  return {
    async discard(runId, items) {
      const placeOf = items.some(judgedByPlace) ? await parts.places() : () => 'unreachable' as const;
      return underLock(
        home,
        { items, begun: async () => whole.begun(runId) || (await holds(parts, runId)) },
        async () => [
          ...(await eachProject(items, ({ trash, address, items: ours }) => {
            touched.add(address.gitDir);
            return discardSnapshots({ runId, trash, whole, place: placeOf(address) }, address, ours);
          })),
          ...(await eachFolder(items, async (item) => takeFolder(home, whole, { runId, item }))),
        ],
      );
    },
    restore: (runId, items) =>
      underLock(home, { items }, async () => [
        ...(await eachProject(items, ({ trash, address, items: ours }) =>
          returnSnapshots({ runId, trash, whole }, address, ours),
        )),
        ...(await eachFolder(items, async ({ item }) =>
          whole.bringBack(runId, item.id) ? undefined : 'Something else stands where it was.',
        )),
      ]),
    purge: async (runId, items) => [
      ...(await eachProject(items, ({ trash, address, items: ours }) =>
        purgeSnapshots({ runId, trash, whole }, address, ours),
      )),
      ...(await eachFolder(items, ({ item }) => whole.purge(runId, item.id))),
    ],
    async giveBack() {
      let freedBytes = 0;
      for (const gitDir of [...touched].filter(existsSync)) freedBytes += await reclaimHermes(parts, gitDir);
      if (touched.size > 0) stampPrune(parts);
      touched.clear();
      return freedBytes;
    },
  };
}

/** A layout of before, or a copy that Hermes put aside, as it is. A sentence where it stays. */
function takeFolder(
  home: string,
  whole: WholeTrash,
  { runId, item: { item, fingerprint } }: { readonly runId: string; readonly item: RunItem },
): string | undefined {
  if (whole.hasPath(runId, item.id)) return undefined;
  if (!existsSync(join(home, item.id))) return 'It is gone already.';
  // A copy may be the newest of its sort by now.
  if (isHermesCopy(item.id) && !findHermesCopies(home).some(({ id }) => id === item.id)) return CHANGED;
  if (copyStamp(join(home, item.id)).text !== fingerprint) return CHANGED;
  whole.takePath(runId, item.id);
  return undefined;
}

function judgedByPlace({ reason }: RunItem): boolean {
  return reason === 'gone' || reason === 'said-gone';
}

/** Gives the space of one repository back. What stands in the way now does not the next time, so it is no failure. */
export async function reclaimHermes(
  { home, store }: Pick<CheckpointDriverParts, 'home' | 'store'>,
  gitDir: string,
): Promise<number> {
  const { root } = await store();
  try {
    const freed = await withCheckpointsLock(home, () => reclaimRepository({ gitDir, scratch: root }));
    return typeof freed === 'number' ? freed : 0;
  } catch (error) {
    if (error instanceof GitError || errorCode(error) !== undefined) return 0;
    throw error;
  }
}

/** Tells Hermes that its checkpoints were looked after, as it does itself. */
function stampPrune({ home, clock }: CheckpointDriverParts): void {
  // Without it, Hermes looks after them once more than it would have to.
  ifPossible(() => {
    using folder = openBelow(home, join(home, 'checkpoints'));
    if (folder !== undefined) writeFileAtomic(folder.at('.last_prune'), String(clock.now() / SECOND_MS));
  });
}

interface Project {
  readonly trash: SnapshotTrash;
  readonly address: ProjectAddress;
  readonly items: readonly RunItem[];
}

const NOT_A_CHECKPOINT = 'It is not the name of a checkpoint.';

async function openTrash({ store }: CheckpointDriverParts): Promise<SnapshotTrash> {
  return openSnapshotTrash(await store());
}

async function underLock(
  home: string,
  { items, begun }: { readonly items: readonly RunItem[]; readonly begun?: () => Promise<boolean> },
  work: () => Promise<readonly ItemOutcome[]>,
): Promise<readonly ItemOutcome[]> {
  const outcomes = await withCheckpointsLock(home, work);
  if (typeof outcomes !== 'string') return outcomes;
  return skipAll(items, outcomes, (await begun?.()) === true);
}

async function holds(parts: CheckpointDriverParts, runId: string): Promise<boolean> {
  return (await (await openTrash(parts)).held(runId)).size > 0;
}

async function eachFolder(
  items: readonly RunItem[],
  act: (item: RunItem) => Promise<string | undefined | void>,
): Promise<ItemOutcome[]> {
  const outcomes: ItemOutcome[] = [];
  for (const item of items.filter((each) => each.item.kind === 'orphan'))
    outcomes.push(
      doneUnless(item, await obstacleTo(async () => (isWhole(item.item.id) ? act(item) : NOT_A_CHECKPOINT))),
    );
  return outcomes;
}

const CHANGED = 'It changed since the plan was made.';

function isWhole(id: string): boolean {
  return LEGACY.test(id) || isHermesCopy(id);
}

const LEGACY = /^checkpoints\/(legacy-\d{8}-\d{6}|[0-9a-f]{16})$/;
