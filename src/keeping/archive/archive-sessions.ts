import { join } from 'node:path';
import { skip } from '../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../core/retention/run.ts';
import type { ArchiveMember, SealRequest } from '../../core/stores/session-archive.ts';
import type { FileMover, HideOptions } from '../../core/stores/session-trash.ts';
import { trashRequest } from '../../core/stores/trash-request.ts';
import { errorSentence } from '../../platform/error-sentence.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import type { RunTrash } from '../run-trash.ts';
import { fileLines } from './archive-lines.ts';
import { inspectMember } from './archive-member.ts';
import { bundleSessions, type LinesOf, type StoredParts, storedLines } from './bundle-sessions.ts';
import { dropDeadBundles } from './drop-dead-bundles.ts';
import { bytesHere } from './shelf/bundle-names.ts';
import type { BundleShelf } from './shelf/bundle-shelf.ts';
import { shelfOf } from './shelf/shelf-of.ts';

export interface ArchiveStep extends HideOptions {
  readonly runId: string;
  readonly trash: Pick<RunTrash, 'purge'>;
}

/**
 * Archives sessions: a bundle that was read back from the disk first, then their rows are marked under the write lock, and only
 * then messages and files go. A session that changed meanwhile stays, and its member in the bundle is dead.
 */
export async function archiveSessions(
  parts: StoredParts,
  step: ArchiveStep,
  items: readonly RunItem[],
): Promise<readonly ItemOutcome[]> {
  const { store, layout } = parts;
  const { runId, trash, deadHolders } = step;
  const { requests, held, outcomes } = await prepare(parts, runId, items);
  const files = checkedMover(step.files, (number) => {
    // Some may be gone: a crash may have cut their removal short. Whatever is there must be in the bundle.
    const inBundle = new Set(held.get(number));
    if (held.get(number) === undefined) return false;
    using taken = openBelow(layout.root, join(layout.trash(runId), String(number)));
    return taken === undefined || fileLines(taken).every((line) => inBundle.has(line));
  });
  const sealed = await store.archive.seal(runId, requests, { files, deadHolders });
  const done = new Set(sealed.filter(({ status }) => status === 'done').map(({ number }) => number));
  const purged = new Map<number, number | string>();
  for (const item of items) if (done.has(item.number)) purged.set(item.number, await purgeTaken(trash, item));
  await dropDeadBundles(
    parts,
    requests.flatMap(({ member }) => member?.bundle ?? []),
  );
  // What their members take is not free, unless they went elsewhere.
  const packed = new Map(requests.map(({ number, member }) => [number, member === undefined ? 0 : bytesHere(member)]));
  const settle = ({ number }: ItemOutcome): ItemOutcome => {
    const freed = purged.get(number) ?? 0;
    if (typeof freed === 'number') return { number, status: 'done', freedBytes: freed - (packed.get(number) ?? 0) };
    const detail = `It is archived, but its files could not be removed. ${freed} The next run tries again.`;
    return { number, status: 'unfinished', detail };
  };
  return [...outcomes, ...sealed.map((one) => (one.status === 'done' ? settle(one) : one))];
}

interface Prepared {
  readonly requests: readonly SealRequest[];
  /** The lines that describe the files of each item in its bundle. */
  readonly held: ReadonlyMap<number, readonly string[] | undefined>;
  readonly outcomes: readonly ItemOutcome[];
}

/** What was sealed before a crash is only finished; the rest is bundled. */
async function prepare(parts: StoredParts, runId: string, items: readonly RunItem[]): Promise<Prepared> {
  const { store } = parts;
  const requests: SealRequest[] = [];
  const held = new Map<number, readonly string[] | undefined>();
  const outcomes: ItemOutcome[] = [];
  const fresh: RunItem[] = [];
  for (const item of items) {
    const found = await store.archive.find(runId, item.number);
    if (found === undefined) fresh.push(item);
    else {
      held.set(item.number, await heldFiles(shelfOf(parts), found.member));
      requests.push(trashRequest(item));
    }
  }
  const linesOf: LinesOf = (run, item) => storedLines(parts, run, item);
  for (const one of await bundleSessions({ ...parts, linesOf }, runId, fresh)) {
    const { number } = one.item;
    if ('detail' in one) outcomes.push(skip(one.item, one.detail));
    else {
      held.set(number, one.files);
      requests.push({ ...trashRequest(one.item), member: one.member });
    }
  }
  return { requests, held, outcomes };
}

/** Of a bundle that was damaged since, or is out of reach, it is not known what it holds: then the files stay where they are. */
async function heldFiles(shelf: BundleShelf, held: ArchiveMember): Promise<readonly string[] | undefined> {
  try {
    await using file = await shelf.open(held);
    return await inspectMember(file.path, file.member);
  } catch (error) {
    errorSentence(error);
    return undefined;
  }
}

/** What its files took on the disk, or why files that are in the bundle too cannot be removed now. */
async function purgeTaken(trash: Pick<RunTrash, 'purge'>, item: RunItem): Promise<number | string> {
  try {
    return await trash.purge(item);
  } catch (error) {
    return errorSentence(error);
  }
}

/** Takes files only if they are what the bundle holds. Looked at once they are taken: from then on nobody finds them. */
function checkedMover(files: FileMover, isHeld: (number: number) => boolean): FileMover {
  return {
    ...files,
    take(request) {
      const obstacle = files.take(request);
      if (obstacle !== undefined) return obstacle;
      try {
        return isHeld(request.number) ? undefined : 'Its files changed while it was archived.';
      } catch (error) {
        return errorSentence(error);
      }
    },
  };
}
