import { join } from 'node:path';
import { Failure } from '../../../core/failure.ts';
import type { HomeDriver, ScanOptions } from '../../../core/retention/home-driver.ts';
import type { Inventory } from '../../../core/retention/inventory.ts';
import { done, doneUnless, skip } from '../../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../../core/retention/run.ts';
import type { LedgerBook } from '../../../core/stores/ledger-book.ts';
import type { Clock, EpochMs } from '../../../core/time.ts';
import { openLinks } from '../../../keeping/kept-links.ts';
import { skipAll } from '../../../keeping/skip-all.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { obstacleOf, obstacleTo } from '../../../platform/error-sentence.ts';
import { databaseBytes, giveHermesBack, mayGiveBack } from '../database/give-hermes-back.ts';
import { rememberSound } from '../database/remember-sound.ts';
import { scanHermes } from '../sessions/scan-hermes.ts';
import { hermesLedgerEntry } from './hermes-ledger-entry.ts';
import { type HermesTrash, openHermesTrash } from './hermes-trash.ts';
import { returnSessions } from './return-sessions.ts';
import { type TakeDesk, withTakeDesk } from './take-desk.ts';
import { takeFiles, takeStray } from './take-files.ts';
import { takeSessions } from './take-sessions.ts';
import { rowBytes, takenBytes, withFreed } from './trash-bytes.ts';

export interface HermesParts {
  readonly home: string;
  readonly clock: Clock;
  /** Where Coppice keeps what it knows about this home: inside the home, so that moving a file is renaming it. */
  readonly companion: { readonly root: string; trash(runId: string): string };
  readonly ledger?: LedgerBook;
  /** Told each time how long the write lock of Hermes' database was held. */
  readonly onHeld?: (heldMs: number) => void;
}

/**
 * The driver of Hermes homes. It changes them only as Hermes itself would, under the locks of Hermes and beside a Hermes that
 * runs: what it takes is in the trash before it leaves the home, and comes back with the ids and values it had.
 */
export function createHermesDriver(parts: HermesParts): HomeDriver {
  const { home, clock, companion } = parts;
  const linksPath = join(companion.root, LINKS_NAME);
  const tombstonesPath = join(companion.root, NO_TOMBSTONES_NAME);
  const trashOf = (runId: string) => openHermesTrash(home, companion.trash(runId));
  const findDamage = rememberSound(home);
  const withDesk = <T extends object | number>({ trash, items }: Work, work: (desk: TakeDesk) => Promise<T>) => {
    const asked = { home, trash, linksPath, tombstonesPath, ids: idsOf(items), onHeld: parts.onHeld, findDamage };
    return withTakeDesk({ ...asked, now: () => clock.now() }, work);
  };
  return {
    scan: (options) => inventoryOf(home, clock.now(), options),
    async discard(runId, items) {
      using trash = trashOf(runId);
      const rowsBefore = rowBytes(companion.trash(runId));
      const begun = items.some(({ number }) => trash.knows(number));
      const outcomes = await withDesk({ trash, items }, async (desk) => {
        await orFailure(home, () => trash.note(items));
        const found = await discardAll(parts, { runId, desk, items });
        await orFailure(home, () => trash.files.sync());
        return found;
      });
      trash.tidy(numbersOf(items));
      if (typeof outcomes === 'string') return skipAll(items, outcomes, begun);
      return withFreed(outcomes, rowsBefore - rowBytes(companion.trash(runId)));
    },
    async restore(runId, items) {
      using trash = trashOf(runId);
      const begun = items.some(({ number }) => trash.records.hasMark(number, 'returning'));
      const outcomes = await withDesk({ trash, items }, async (desk) => {
        const sessions = items.filter((item) => wayOf(item) === 'session');
        const found = await returnSessions(desk, sessions);
        for (const item of items) if (wayOf(item) !== 'session') found.push(restoreFiles(desk, item));
        await orFailure(home, () => trash.files.sync());
        return found;
      });
      if (typeof outcomes === 'string') return skipAll(items, outcomes, begun);
      await parts.ledger?.erase(runId, idsOf(doneSessions(items, outcomes)));
      trash.tidy(numbersOf(items));
      return outcomes;
    },
    async purge(runId, items) {
      using trash = trashOf(runId);
      const rowsBefore = rowBytes(companion.trash(runId));
      const { outcomes, ofFiles } = await purgeAll(trash, items);
      trash.records.forget(outcomes.filter(({ status }) => status === 'done').map(({ number }) => number));
      openLinks(home, linksPath).forget(new Set(idsOf(doneSessions(items, outcomes))));
      trash.tidy(numbersOf(items));
      return withFreed(outcomes, ofFiles + rowsBefore - rowBytes(companion.trash(runId)));
    },
    async giveBack() {
      if (!(await mayGiveBack(home, clock.now()))) return 0;
      using trash = trashOf('');
      const freed = await withDesk({ trash, items: [] }, async ({ hermes }) =>
        giveHermesBack({ home, hermes, now: clock.now() }),
      );
      return typeof freed === 'number' ? freed : 0;
    },
  };
}

async function inventoryOf(home: string, now: EpochMs, options?: ScanOptions): Promise<Inventory> {
  const found = await scanHermes({ home, now }, options);
  if (found !== undefined) return found.inventory;
  throw new Failure('not-found', `${home} is not a Hermes home.`, { hint: 'Check the path given with --home.' });
}

const LINKS_NAME = 'links.jsonl';
const NO_TOMBSTONES_NAME = 'no-tombstones';

interface Work {
  readonly trash: HermesTrash;
  readonly items: readonly RunItem[];
}

interface Discard {
  readonly runId: string;
  readonly desk: TakeDesk;
  readonly items: readonly RunItem[];
}

async function discardAll(parts: HermesParts, { runId, desk, items }: Discard): Promise<ItemOutcome[]> {
  const of = (way: Way) => items.filter((item) => wayOf(item) === way);
  const before = databaseBytes(desk.hermes);
  const { taken, skipped } = await takeSessions(desk, of('session'));
  const now = parts.clock.now();
  await parts.ledger?.write(
    runId,
    taken.map(({ record }) => hermesLedgerEntry(record, now)),
  );
  const outcomes: ItemOutcome[] = [...skipped, ...taken.map(({ item }) => done(item))];
  for (const item of of('files')) outcomes.push(await takeFiles(desk, item));
  for (const item of of('stray')) outcomes.push(attempt(item, () => takeStray(desk, item)));
  for (const item of of('unknown')) outcomes.push(skip(item, 'Hermes homes have no such thing.'));
  // Taking words out of a search index writes first.
  return withFreed(outcomes, before - databaseBytes(desk.hermes));
}

/** Removes the files of items, and counts what they took. */
async function purgeAll(trash: HermesTrash, items: readonly RunItem[]) {
  const outcomes: ItemOutcome[] = [];
  let ofFiles = 0;
  for (const item of items) {
    const before = takenBytes(trash, item.number);
    outcomes.push(doneUnless(item, await obstacleTo(() => purgeFiles(trash, item.number))));
    ofFiles += before - takenBytes(trash, item.number);
  }
  return { outcomes, ofFiles };
}

/** Those that the trash knows of. It fails where the record of an item is out of reach, so that nothing of it goes. */
async function purgeFiles(trash: HermesTrash, number: number): Promise<void> {
  if (trash.knows(number)) await trash.files.purge(number);
}

function restoreFiles(desk: TakeDesk, item: RunItem): ItemOutcome {
  return attempt(item, () =>
    desk.trash.bringBack(item.number) ? undefined : 'Something else stands where its files were.',
  );
}

/** What the files of one item meet is an outcome and does not stop the others. */
function attempt(item: RunItem, act: () => string | undefined | void): ItemOutcome {
  return doneUnless(item, obstacleOf(act));
}

type Way = 'session' | 'files' | 'stray' | 'unknown';

/** What an item asks for: a whole session out of sight, some of its files, or a file that no session owns. */
function wayOf({ item, action }: RunItem): Way {
  if (item.kind === 'orphan') return 'stray';
  if (item.kind !== 'session') return 'unknown';
  if (action === 'remove') return 'session';
  return action === 'drop-files' || action === 'drop-dumps' ? 'files' : 'unknown';
}

function doneSessions(items: readonly RunItem[], outcomes: readonly ItemOutcome[]): RunItem[] {
  const numbers = new Set(outcomes.filter(({ status }) => status === 'done').map(({ number }) => number));
  return items.filter((item) => wayOf(item) === 'session' && numbers.has(item.number));
}

function idsOf(items: readonly RunItem[]): string[] {
  return items.map(({ item }) => item.id);
}

function numbersOf(items: readonly RunItem[]): number[] {
  return items.map(({ number }) => number);
}

/** What concerns the whole trash stops the run: the next one finishes what was begun. */
async function orFailure(home: string, act: () => void | Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (error instanceof Failure || errorCode(error) === undefined) throw error;
    throw new Failure('failed', `What Coppice keeps in ${home} cannot be written: ${errorCode(error)}.`, {
      hint: 'Nothing is lost. Make the folder writable or free some space, then run the same command again.',
      cause: error,
    });
  }
}
