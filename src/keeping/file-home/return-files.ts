import type { ItemOutcome, RunItem } from '../../core/retention/run.ts';
import { done, skip } from '../../core/retention/item-outcome.ts';
import { errorSentence } from '../../platform/error-sentence.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { join } from 'node:path';
import type { FileTrash } from './file-trash.ts';
import type { LookedHome } from './look-at-home.ts';
import type { FileHome } from './open-file-home.ts';
import { piecesOf } from './session-pieces.ts';
import { putBackShared } from './shared-copies.ts';
import { IN_THE_WAY } from './take-files.ts';
import type { TakenRecord } from './taken-record.ts';

export interface ReturnDesk {
  readonly home: FileHome;
  readonly trash: FileTrash;
  readonly look: LookedHome;
}

/** Brings sessions and strays back to where they were, each as a whole. One whose place or id has been taken stays in the trash. */
export async function returnFiles(desk: ReturnDesk, items: readonly RunItem[]): Promise<readonly ItemOutcome[]> {
  const outcomes: ItemOutcome[] = [];
  for (const item of items) outcomes.push(await returnOne(desk, item));
  desk.trash.sync();
  // Only now nothing of them is needed here any more.
  for (const item of items)
    if (outcomes.some(({ number, status }) => number === item.number && status === 'done'))
      await desk.trash.purge(item);
  return outcomes;
}

async function returnOne(desk: ReturnDesk, item: RunItem): Promise<ItemOutcome> {
  const { home, trash } = desk;
  try {
    const record = trash.record(item);
    // It came back before a crash, or nothing had to go, or twice was asked for.
    if (record === undefined) return isInPlace(desk, item) ? done(item) : skip(item, 'It is gone for good.');
    if (record.kind === 'session' && isTaken(desk, record)) return skip(item, 'Another session has its id by now.');
    if (!trash.bringBack(item)) return skip(item, IN_THE_WAY);
    await putBackShared(home, record);
    return done(item);
  } catch (error) {
    return { number: item.number, status: 'unfinished', detail: errorSentence(error) };
  }
}

function isInPlace({ home, look }: ReturnDesk, { item }: RunItem): boolean {
  return item.kind === 'session' ? look.byId.has(item.id) : isThere(join(home.home, item.id));
}

/** Whether a session with its id is in the home that is not what was taken of it, or stayed when files of it went. */
function isTaken({ look }: ReturnDesk, { id, pieces }: TakenRecord): boolean {
  if (!pieces.some(({ role }) => role === 'transcript')) return false;
  const now = look.byId.get(id);
  const own = new Set(pieces.map(({ path }) => path));
  return now !== undefined && piecesOf(now).some(({ path, role }) => role === 'transcript' && !own.has(path));
}
