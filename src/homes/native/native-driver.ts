import { Failure } from '../../core/failure.ts';
import type { HomeDriver } from '../../core/retention/home-driver.ts';
import { done, doneUnless, skip } from '../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../core/retention/run.ts';
import type { FileMover, HideOptions } from '../../core/stores/session-trash.ts';
import { trashRequest } from '../../core/stores/trash-request.ts';
import { archiveSessions } from '../../keeping/archive/archive-sessions.ts';
import type { StoredParts } from '../../keeping/archive/bundle-sessions.ts';
import { dropDeadBundles } from '../../keeping/archive/drop-dead-bundles.ts';
import { restoreArchived } from '../../keeping/archive/restore-archived.ts';
import { rewriteBundles } from '../../keeping/archive/rewrite-bundles.ts';
import { deadHolders } from '../../keeping/liveness/active-sessions.ts';
import { lookAhead } from '../../keeping/look-ahead.ts';
import type { RunTrash } from '../../keeping/run-trash.ts';
import { errorCode } from '../../platform/error-code.ts';
import { errorSentence, obstacleOf } from '../../platform/error-sentence.ts';
import type { NativeLayout } from './native-layout.ts';
import { openNativeTrash } from './native-trash.ts';
import { type ScanParts, scanNative } from './scan-native.ts';
import { strayUnchanged } from './stray-unchanged.ts';

/** Sessions whose files are removed together: about as many as one transaction takes the rows of. */
const SLICE = 100;
const SLICES_AHEAD = 2;

export type NativeParts = ScanParts & StoredParts;

/**
 * The driver of native homes. Files move in the same step in which the rows of their session change, under the write lock: a
 * crash in between leaves files in the trash of a session that is still there, and recovery decides again.
 */
export function createNativeDriver(parts: NativeParts): HomeDriver {
  const { store, layout, clock } = parts;
  return {
    scan: (options) => scanNative(parts, options),
    async discard(runId, items) {
      const trash = openNativeTrash(layout, runId);
      orFailure(layout, () => trash.note(items));
      const dead = await deadHolders(store, clock);
      const step = { runId, trash, files: moverOf(trash, items), deadHolders: dead };
      const of = (way: Way) => items.filter((item) => wayOf(item) === way);
      const outcomes = [
        ...(await store.trash.hide(runId, of('session').map(trashRequest), step)),
        ...(await store.archive.hide(runId, of('archive').map(trashRequest))),
        ...(await archiveSessions(parts, step, of('archiving'))),
      ];
      for (const item of of('part')) outcomes.push(await discardPart(parts, step, item));
      orFailure(layout, () => trash.sync());
      const taken = new Set(outcomes.filter(({ status }) => status === 'done').map(({ number }) => number));
      const left = items.filter((item) => !taken.has(item.number) || wayOf(item) === 'archiving');
      if (left.length > 0) trash.tidy(left);
      return outcomes;
    },
    async restore(runId, items) {
      const trash = openNativeTrash(layout, runId);
      const step = { runId, trash, files: moverOf(trash, items) };
      const outcomes: ItemOutcome[] = [];
      const sweep = await bundleSweep(parts, items);
      for (const item of items) outcomes.push(await restoreOne(parts, step, item));
      orFailure(layout, () => trash.sync());
      trash.tidy(items);
      await sweep();
      return outcomes;
    },
    async purge(runId, items) {
      const trash = openNativeTrash(layout, runId);
      const sweep = await bundleSweep(parts, items);
      const outcomes: ItemOutcome[] = [];
      // While the rows of some are deleted, the disk removes the files of the next.
      for await (const purged of lookAhead(slicesOf(items), SLICES_AHEAD, (some) => purgeFiles(trash, some))) {
        outcomes.push(...purged.outcomes);
        await store.trash.drop(runId, purged.gone.filter((item) => wayOf(item) !== 'part').map(trashRequest));
      }
      orFailure(layout, () => trash.sync());
      trash.tidy([]);
      await sweep();
      return outcomes;
    },
    async giveBack(options) {
      return (await rewriteBundles(parts, options)) + (await store.trash.giveBack(options));
    },
  };
}

interface Step {
  readonly runId: string;
  readonly trash: RunTrash;
  readonly files: FileMover;
}

/** Moves the files of the items at hand by their numbers. What the file system refuses is a sentence. */
function moverOf(trash: RunTrash, items: readonly RunItem[]): FileMover {
  const byNumber = new Map(items.map((item) => [item.number, item]));
  const say = (number: number, act: (item: RunItem) => string | undefined) => {
    const item = byNumber.get(number);
    return item === undefined ? 'It was not reached.' : obstacleOf(() => act(item));
  };
  return {
    take: ({ number }) => say(number, (item) => void trash.take(item)),
    bringBack: ({ number }) => say(number, (item) => bringBack(trash, item)),
    letGo: ({ number }) =>
      void say(number, (item) => {
        trash.letGo(item);
      }),
  };
}

function bringBack(trash: RunTrash, item: RunItem): string | undefined {
  return trash.bringBack(item) ? undefined : 'Something else stands where its files were.';
}

async function discardPart(parts: NativeParts, step: Step & HideOptions, item: RunItem): Promise<ItemOutcome> {
  if (item.item.kind === 'session') {
    const part = item.action === 'drop-dumps' ? 'dumps' : 'all';
    return parts.store.trash.takeFiles(step.runId, trashRequest(item), { part, ...step });
  }
  const unchanged = await strayUnchanged(parts, item);
  return attempt(item, () => {
    if (!unchanged) return 'It has changed since the plan was made.';
    return step.trash.take(item) ? undefined : 'It is gone already.';
  });
}

async function restoreOne(parts: NativeParts, step: Step, item: RunItem): Promise<ItemOutcome> {
  const { store } = parts;
  const { runId, trash, files } = step;
  const way = wayOf(item);
  if (way === 'archiving') return restoreArchived(parts, step, item);
  if (way !== 'part') {
    const [outcome] =
      way === 'archive'
        ? await store.archive.show(runId, [trashRequest(item)])
        : await store.trash.show(runId, [trashRequest(item)], files);
    return outcome ?? done(item);
  }
  if (item.item.kind === 'session') return store.trash.returnFiles(runId, trashRequest(item), files);
  return attempt(item, () => bringBack(trash, item));
}

/** Removes, afterwards, the bundles that a step leaves without any session. */
async function bundleSweep(parts: NativeParts, items: readonly RunItem[]): Promise<() => Promise<void>> {
  const concerned = items.some((item) => ['archive', 'archiving'].includes(wayOf(item)));
  const names = concerned ? (await parts.store.archive.bundles()).map(({ name }) => name) : [];
  return () => dropDeadBundles(parts, names);
}

function* slicesOf(items: readonly RunItem[]): Generator<readonly RunItem[]> {
  for (let first = 0; first < items.length; first += SLICE) yield items.slice(first, first + SLICE);
}

/** What became of each, and those whose files are gone. */
async function purgeFiles(trash: RunTrash, items: readonly RunItem[]) {
  const outcomes = await Promise.all(items.map((item) => purgeOne(trash, item)));
  return { outcomes, gone: items.filter((_, index) => outcomes[index]?.status === 'done') };
}

async function purgeOne(trash: RunTrash, item: RunItem): Promise<ItemOutcome> {
  const { number } = item;
  try {
    return { number, status: 'done', freedBytes: await trash.purge(item) };
  } catch (error) {
    return skip(item, errorSentence(error));
  }
}

/** What the files of one item meet is an outcome and does not stop the others. Trouble with the store does, and so does a bug. */
function attempt(item: RunItem, act: () => string | undefined): ItemOutcome {
  return doneUnless(item, obstacleOf(act));
}

/** What concerns the whole trash stops the run: the next one finishes what was begun. */
function orFailure({ root }: NativeLayout, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure || errorCode(error) === undefined) throw error;
    throw new Failure('failed', `The trash of ${root} cannot be written: ${errorCode(error)}.`, {
      hint: 'Nothing is lost. Make the folder writable or free some space, then run the same command again.',
      cause: error,
    });
  }
}

type Way = 'session' | 'archive' | 'archiving' | 'part';

/** What an item asks for: a whole session or archive out of sight, a session into the archive, or only files. */
function wayOf({ item, action }: RunItem): Way {
  if (action === 'archive') return 'archiving';
  if (action !== 'remove') return 'part';
  return item.kind === 'session' || item.kind === 'archive' ? item.kind : 'part';
}
