import { Failure } from '../../core/failure.ts';
import type { HomeDriver } from '../../core/home-driver.ts';
import type { ItemOutcome, RunItem } from '../../core/run.ts';
import type { TrashRequest } from '../../core/session-trash.ts';
import { errorCode } from '../../platform/error-code.ts';
import { deadHolders } from './active-sessions.ts';
import { type NativeTrash, openNativeTrash } from './native-trash.ts';
import { type ScanParts, scanNative } from './scan-native.ts';
import { strayUnchanged } from './stray-unchanged.ts';

/**
 * The driver of native homes. Sessions go in two steps: their rows out of sight, which no writer can undo, then their files
 * into the trash. Files of a session that stays go first, then its row says so: until then the next append would only write
 * the transcript again.
 */
export function createNativeDriver(parts: ScanParts): HomeDriver {
  const { store, layout, clock } = parts;
  return {
    scan: (options) => scanNative(parts, options),
    async discard(runId, items) {
      const trash = openNativeTrash(layout, runId);
      trash.note(items);
      const dead = await deadHolders(store, clock.now());
      const outcomes = await discardWhole(parts, { runId, items: items.filter(isWholeSession), trash, dead });
      for (const item of items.filter((candidate) => !isWholeSession(candidate))) {
        outcomes.push(await attempt(item, () => discardPart(parts, { runId, item, trash, dead })));
      }
      trash.sync();
      return outcomes;
    },
    async restore(runId, items) {
      const trash = openNativeTrash(layout, runId);
      const outcomes: ItemOutcome[] = [];
      for (const item of items) outcomes.push(await attempt(item, () => restoreOne(parts, { runId, item, trash })));
      trash.sync();
      return outcomes;
    },
    async purge(runId, items) {
      const trash = openNativeTrash(layout, runId);
      const outcomes: ItemOutcome[] = [];
      for (const item of items) {
        outcomes.push(
          await attempt(item, async () => {
            trash.purge(item);
            return { number: item.number, status: 'done' };
          }),
        );
      }
      // Rows last: as long as they are there, a purge that was cut short is begun again.
      const done = new Set(outcomes.filter(({ status }) => status === 'done').map(({ number }) => number));
      const sessions = items.filter((item) => isWholeSession(item) && done.has(item.number));
      await store.trash.drop(runId, sessions.map(requestOf));
      return outcomes;
    },
    async giveBack() {
      let total = 0;
      for (let freed = -1; freed !== 0; total += freed) freed = await store.trash.giveBack(GIVE_BACK_BYTES);
      return total;
    },
  };
}

/** Small enough that no writer waits long for a step. */
const GIVE_BACK_BYTES = 2 * 1024 * 1024;

interface Step {
  readonly runId: string;
  readonly item: RunItem;
  readonly trash: NativeTrash;
}

/** A session whose files cannot be moved is shown again: rows and files share one fate. */
async function discardWhole(
  { store }: ScanParts,
  {
    runId,
    items,
    trash,
    dead,
  }: { runId: string; items: readonly RunItem[]; trash: NativeTrash; dead: readonly string[] },
): Promise<ItemOutcome[]> {
  const hidden = await store.trash.hide(runId, items.map(requestOf), dead);
  const outcomes: ItemOutcome[] = [];
  for (const [index, item] of items.entries()) {
    const outcome = hidden[index] ?? { number: item.number, status: 'skipped', detail: 'It was not reached.' };
    const moved = outcome.status === 'done' ? await attempt(item, async () => take(trash, item)) : outcome;
    if (outcome.status === 'done' && moved.status === 'skipped') await store.trash.show(runId, [requestOf(item)]);
    outcomes.push(moved);
  }
  return outcomes;
}

function take(trash: NativeTrash, item: RunItem): ItemOutcome {
  trash.take(item);
  return { number: item.number, status: 'done' };
}

async function discardPart(parts: ScanParts, step: Step & { dead: readonly string[] }): Promise<ItemOutcome> {
  const { runId, item, trash, dead: deadHolderIds } = step;
  if (item.action === 'archive') {
    return { number: item.number, status: 'skipped', detail: 'This version cannot archive.' };
  }
  if (item.item.kind === 'session') {
    const part = item.action === 'drop-dumps' ? 'dumps' : 'all';
    trash.take(item);
    const outcome = await parts.store.trash.takeFiles(runId, requestOf(item), { part, deadHolders: deadHolderIds });
    if (outcome.status === 'skipped') trash.giveBack(item);
    return outcome;
  }
  if (!strayUnchanged(parts.layout, item)) {
    return { number: item.number, status: 'skipped', detail: 'It has changed since the plan was made.' };
  }
  return take(trash, item);
}

/** Files first, so that a session never shows without them; its rows say so last. */
async function restoreOne({ store }: ScanParts, { runId, item, trash }: Step): Promise<ItemOutcome> {
  if (!trash.giveBack(item)) {
    return { number: item.number, status: 'skipped', detail: 'Something else stands where its files were.' };
  }
  if (isWholeSession(item)) {
    const [outcome] = await store.trash.show(runId, [requestOf(item)]);
    if (outcome?.status === 'skipped') trash.take(item);
    return outcome ?? { number: item.number, status: 'done' };
  }
  if (item.item.kind === 'session') return store.trash.returnFiles(runId, requestOf(item));
  return { number: item.number, status: 'done' };
}

/** What one item meets is an outcome and does not stop the others; a bug does. */
async function attempt(item: RunItem, act: () => Promise<ItemOutcome>): Promise<ItemOutcome> {
  try {
    return await act();
  } catch (error) {
    const reason = error instanceof Failure ? error.message : errorCode(error);
    if (reason === undefined) throw error;
    return { number: item.number, status: 'skipped', detail: reason };
  }
}

function isWholeSession({ item, action }: RunItem): boolean {
  return item.kind === 'session' && action === 'remove';
}

function requestOf({ number, item, fingerprint }: RunItem): TrashRequest {
  return { number, id: item.id, fingerprint };
}
