import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { WorkdirPlace } from '../../../../core/retention/checkpoint.ts';
import { done, skip } from '../../../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../../../core/retention/run.ts';
import { removeBelow } from '../../../../platform/files/remove-tree.ts';
import { runGit } from '../../../../platform/git/run-git.ts';
import { dropShortcuts } from '../store/pack-files.ts';
import type { ProjectAddress } from '../store/project-address.ts';
import { type Chain, readChain } from '../store/read-chain.ts';
import { gitPlace } from '../store/read-snapshots.ts';
import { changeShallow } from '../store/shallow-file.ts';
import { skipIfRefused } from './skip-if-refused.ts';
import type { SnapshotTrash } from './snapshot-trash.ts';
import type { WholeTrash } from './whole-trash.ts';

export interface DiscardDesk {
  readonly runId: string;
  readonly trash: SnapshotTrash;
  readonly whole: WholeTrash;
  /** Where the folder of the project is now. */
  readonly place: WorkdirPlace;
}

/**
 * Takes the oldest snapshots of a project out of its history, which leaves the names and the ref of all others as they are: a
 * Hermes that takes one at the same moment does not notice. A project that goes altogether leaves with what Hermes noted about it.
 */
export function discardSnapshots(
  desk: DiscardDesk,
  address: ProjectAddress,
  items: readonly RunItem[],
): Promise<readonly ItemOutcome[]> {
  return skipIfRefused(items, () => discard(desk, address, items));
}

async function discard(
  desk: DiscardDesk,
  address: ProjectAddress,
  items: readonly RunItem[],
): Promise<readonly ItemOutcome[]> {
  const { runId, trash, whole } = desk;
  const { gitDir, ref } = address;
  if (!existsSync(gitDir)) return items.map((item) => (whole.has(runId, address) ? done(item) : skip(item, GONE)));
  const chain = await readChain(gitDir, ref);
  if (chain === undefined) return items.map((item) => skip(item, 'Its history is not one that Hermes writes.'));
  const held = await trash.held(runId);
  const { going, outcomes } = sortOut(chain, items, (item) => obstacle(desk, chain, item));
  if (going.length === chain.ids.length) {
    if (going.length > 0) await removeProject(desk, address, { chain, going });
    // Also after a crash that came between the two. What Hermes noted about a project that it removed itself is its own.
    if (ref !== undefined && items.some((item) => isTaken(going, held, item))) whole.takeNotes(runId, address);
  } else if (going.length > 0) {
    const oldest = chain.ids[chain.ids.length - going.length - 1] ?? '';
    await takeThen(desk, address, {
      going,
      cut: async () => {
        dropShortcuts(gitDir);
        changeShallow(gitDir, { add: [oldest], remove: going.map(({ item }) => item.id) });
      },
    });
  }
  return items.map((item) => outcomes.get(item) ?? (isTaken(going, held, item) ? done(item) : skip(item, GONE)));
}

function isTaken(going: readonly RunItem[], held: ReadonlyMap<number, string>, item: RunItem): boolean {
  return going.includes(item) || held.get(item.number) === item.item.id;
}

interface Sorted {
  /** Oldest last, as in the chain. */
  readonly going: readonly RunItem[];
  /** Why the others that are there stay. */
  readonly outcomes: ReadonlyMap<RunItem, ItemOutcome>;
}

/** Only from the old end can anything go: the longest stretch of it that nothing speaks against. */
function sortOut(chain: Chain, items: readonly RunItem[], why: (item: RunItem) => string | undefined): Sorted {
  const byId = new Map(items.map((item) => [item.item.id, item]));
  const outcomes = new Map<RunItem, ItemOutcome>();
  const going: RunItem[] = [];
  let blocked = false;
  for (const id of chain.ids.toReversed()) {
    const item = byId.get(id);
    const stays = item === undefined ? undefined : (why(item) ?? (blocked ? IN_ONE_CHAIN : undefined));
    if (item === undefined || stays !== undefined) blocked = true;
    else going.unshift(item);
    if (item !== undefined && stays !== undefined) outcomes.set(item, skip(item, stays));
  }
  return { going, outcomes };
}

const GONE = 'It is gone already.';
const IN_ONE_CHAIN = 'An older one of the same folder stays, and Hermes keeps them as one history.';

function obstacle({ place }: DiscardDesk, chain: Chain, { item, reason }: RunItem): string | undefined {
  if (reason === 'gone') return place === 'gone' ? undefined : 'Its folder is not known to be gone now.';
  if (reason === 'said-gone') return place === 'present' ? 'Its folder is there now.' : undefined;
  const newest = item.id === chain.ids[0];
  // These go because they are the newest of a folder that nobody uses.
  if (reason === 'stale' || reason === 'least-used') return newest ? undefined : 'Its folder was used since.';
  return newest && reason !== 'named' ? 'It is the newest of its project by now.' : undefined;
}

async function removeProject(
  desk: DiscardDesk,
  address: ProjectAddress,
  { chain, going }: { readonly chain: Chain; readonly going: readonly RunItem[] },
): Promise<void> {
  const { gitDir, ref } = address;
  if (ref === undefined) return desk.whole.take(desk.runId, address);
  await takeThen(desk, address, {
    going,
    async cut() {
      await runGit(gitPlace(gitDir), ['update-ref', '-d', ref, chain.ids[0] ?? '']);
    },
  });
  changeShallow(gitDir, { remove: going.map(({ item }) => item.id) });
  // It would make the next snapshot believe that content is there which may be gone by then.
  removeBelow(gitDir, [join(gitDir, 'indexes', basename(ref))]);
}

/** Into the trash first, then out of the history. Where the second fails they are where they were, and the trash lets go of them. */
async function takeThen(
  { runId, trash }: DiscardDesk,
  { gitDir, ref }: ProjectAddress,
  { going, cut }: { readonly going: readonly RunItem[]; readonly cut: () => Promise<void> },
): Promise<void> {
  await trash.take(gitPlace(gitDir), runId, going.map(numbered));
  try {
    await cut();
  } catch (error) {
    const ids = new Set((await readChain(gitDir, ref))?.ids);
    const stays = going.filter(({ item }) => ids.has(item.id));
    await trash.drop(
      runId,
      stays.map(({ number }) => number),
    );
    throw error;
  }
}

function numbered({ number, item }: RunItem) {
  return { number, id: item.id };
}
