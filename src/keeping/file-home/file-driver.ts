import { Failure } from '../../core/failure.ts';
import type { HomeDriver } from '../../core/retention/home-driver.ts';
import { done, skip } from '../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../core/retention/run.ts';
import type { LedgerBook } from '../../core/stores/ledger-book.ts';
import { errorCode } from '../../platform/error-code.ts';
import { errorSentence } from '../../platform/error-sentence.ts';
import { conversationsIn } from './conversations.ts';
import type { FoundSession } from './file-agent.ts';
import { openFileTrash } from './file-trash.ts';
import { ledgerEntry } from './ledger-entry.ts';
import { returnFiles } from './return-files.ts';
import { type FileScanParts, scanFileHome } from './scan-file-home.ts';
import { takeFiles } from './take-files.ts';

export interface FileDriverParts extends FileScanParts {
  readonly companion: { trash(runId: string): string };
  /** What is gone is remembered there; absent where it only goes into the archive. */
  readonly ledger?: LedgerBook;
}

/**
 * The driver of homes whose sessions are whole files. What it takes is moved below the home and back, so nothing is ever copied, and
 * times, modes and contents are what they were.
 */
export function createFileDriver(parts: FileDriverParts): HomeDriver {
  const { home, companion } = parts;
  const trashOf = (runId: string) => openFileTrash({ home: home.home, root: companion.trash(runId) });
  return {
    scan: (options) => scanFileHome(parts, options),
    async discard(runId, items) {
      const known = items.filter(isKnown);
      const trash = trashOf(runId);
      using guard = await home.agent.guard(home.home, home.clock.now());
      const look = await home.look();
      const remember = (sessions: readonly FoundSession[]) => rememberAll(parts, runId, sessions);
      const outcomes = await orFailure(home.home, async () => {
        const found = await takeFiles(
          { home, trash, look, guard, conversations: conversationsIn(home, look), remember },
          known,
        );
        trash.sync();
        return found;
      });
      const stayed = known.filter((item) =>
        outcomes.some((one) => one.number === item.number && one.status === 'skipped'),
      );
      await parts.ledger?.erase(runId, idsOf(stayed.filter(leaves)));
      trash.tidy(stayed);
      return [...outcomes, ...items.filter((item) => !isKnown(item)).map((item) => skip(item, NOTHING_SUCH))];
    },
    async restore(runId, items) {
      const trash = trashOf(runId);
      const look = await home.look();
      const outcomes = await orFailure(home.home, () => returnFiles({ home, trash, look }, items));
      const back = items.filter((item) => outcomes.some((one) => one.number === item.number && one.status === 'done'));
      await parts.ledger?.erase(runId, idsOf(back.filter(leaves)));
      trash.tidy(items);
      return outcomes;
    },
    async purge(runId, items) {
      const trash = trashOf(runId);
      const outcomes: ItemOutcome[] = [];
      for (const item of items) outcomes.push(await purgeOne(() => trash.purge(item), item));
      trash.sync();
      trash.tidy(items);
      return outcomes;
    },
    giveBack: async () => 0,
  };
}

const NOTHING_SUCH = 'Homes of this agent have no such thing.';

function isKnown({ item }: RunItem): boolean {
  return item.kind === 'session' || item.kind === 'orphan' || item.kind === 'debris';
}

/** The session itself goes, so the ledger speaks of it. */
function leaves({ item, action }: RunItem): boolean {
  return item.kind === 'session' && (action === 'remove' || action === 'archive');
}

function idsOf(items: readonly RunItem[]): string[] {
  return items.map(({ item }) => item.id);
}

/** Writes what sessions used into the ledger while they can still be read. Gives the reasons of those of which that fails. */
async function rememberAll(
  { home, ledger }: FileDriverParts,
  runId: string,
  sessions: readonly FoundSession[],
): Promise<ReadonlyMap<string, string>> {
  const failed = new Map<string, string>();
  if (ledger === undefined) return failed;
  const entries = [];
  for (const session of sessions) {
    try {
      entries.push(await ledgerEntry(home, session));
    } catch (error) {
      failed.set(session.id, errorSentence(error));
    }
  }
  await ledger.write(runId, entries);
  return failed;
}

async function purgeOne(purge: () => Promise<number>, item: RunItem): Promise<ItemOutcome> {
  try {
    const freedBytes = await purge();
    return freedBytes === 0 ? done(item) : { number: item.number, status: 'done', freedBytes };
  } catch (error) {
    return skip(item, errorSentence(error));
  }
}

/** What concerns the whole trash stops the run: the next one finishes what was begun. */
async function orFailure<T>(home: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Failure || errorCode(error) === undefined) throw error;
    throw new Failure('failed', `What Coppice keeps in ${home} cannot be written: ${errorCode(error)}.`, {
      hint: 'Nothing is lost. Make the folder writable or free some space, then run the same command again.',
      cause: error,
    });
  }
}
