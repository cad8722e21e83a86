import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunItem } from '../../core/retention/run.ts';
import { judgeClock } from '../../keeping/liveness/clock-watch.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { removeTree } from '../../platform/files/remove-tree.ts';
import { giveUpTrash, isManifest } from '../../platform/leftovers/run-manifest.ts';
import { freeBytes } from '../../platform/machine/file-system-facts.ts';
import type { HomeParts } from '../home-parts.ts';
import { givenUpRuns } from './is-unfinished.ts';

/**
 * Files before rows: where not one page can be written, the files of trash that goes for good anyway make the room for writing
 * that down. What is decided stands in a name until then, which takes no space, and a crash at any point leaves something that the
 * next change ends. Only for who holds the lock of the home. `goes` are the runs that somebody wants to be rid of now; those whose
 * time is over come first.
 */
export async function makeRoomFromTrash(parts: HomeParts, goes: readonly string[]): Promise<void> {
  if (!lacksRoom(parts)) return;
  for (const runId of [...(await expiredRuns(parts)), ...goes]) {
    if (!lacksRoom(parts)) return;
    if (await isOnlyTrash(parts, runId)) await removeFiles(parts, runId);
  }
}

/** Writes down, once there is room, what names said until then: recovery ends the rest. */
export async function noteGivenUp({ layout, store }: HomeParts): Promise<void> {
  for (const runId of givenUpRuns(layout)) {
    const items: RunItem[] = [];
    for await (const item of store.journal.items(runId, ['trashed'])) items.push(item);
    for (let first = 0; first < items.length; first += AT_ONCE) {
      const some = items.slice(first, first + AT_ONCE);
      await store.journal.mark(
        runId,
        some.map(({ number }) => ({ number, state: 'purging' })),
      );
    }
  }
}

/** How many items of a run are in its trash, those included that a purge began with and could not remove yet. */
export async function inTrash({ journal }: HomeParts['store'], runId: string): Promise<number> {
  const { trashed, purging } = await journal.totals(runId);
  return (trashed?.items ?? 0) + (purging?.items ?? 0);
}

/** So many marks fit into the log on a disk that was full a moment ago. */
const AT_ONCE = 100;
const LEAST_BYTES = 1024 * 1024;
/** The part of the databases that letting go of the search index writes to the log, and some more. */
const SHARE = 1 / 256;

/** Whether not even what is to be done can be written down. */
export function lacksRoom(parts: Pick<HomeParts, 'layout'>): boolean {
  return freeBytes(parts.layout.root) < neededBytes(parts);
}

/** How much has to be free for a change to be written down and begun. */
export function neededBytes({ layout }: Pick<HomeParts, 'layout'>): number {
  return LEAST_BYTES + (statSync(layout.database, { throwIfNoEntry: false })?.size ?? 0) * SHARE;
}

async function expiredRuns({ store, clock }: HomeParts): Promise<readonly string[]> {
  const now = clock.now();
  if ((await judgeClock(store, clock)) !== 'trusted') return [];
  return (await store.journal.inTrash()).filter(({ expiresAt }) => expiresAt <= now).map(({ id }) => id);
}

/** Whether all that lies in the trash of a run goes when it is emptied. What a crash left half way may belong to somebody still. */
async function isOnlyTrash({ store }: HomeParts, runId: string): Promise<boolean> {
  const { intended, undoing, archived, trashed, purging } = await store.journal.totals(runId);
  const isUnclear = intended !== undefined || undoing !== undefined || archived !== undefined;
  return !isUnclear && (trashed !== undefined || purging !== undefined);
}

async function removeFiles({ layout }: HomeParts, runId: string): Promise<void> {
  using trash = openBelow(layout.root, layout.trash(runId));
  if (trash === undefined || !giveUpTrash(trash)) return;
  for (const name of trash.names()) if (!isManifest(name)) await removeTree(layout.root, join(trash.path, name));
}
