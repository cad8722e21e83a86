import type { Journal } from '../core/retention/run.ts';
import { type Clock, DAY_MS } from '../core/time.ts';

/** For so long, and for so many of the newest, the journal tells what runs did whose items are settled. */
const REMEMBERED_MS = 90 * DAY_MS;
const REMEMBERED_RUNS = 1000;

/**
 * Keeps the journal from growing for ever. Only runs with nothing left to give back are forgotten; the ledger goes on telling of
 * every session that they removed.
 */
export async function trimJournal({ journal, clock }: { journal: Journal; clock: Clock }): Promise<void> {
  await journal.forget({ before: clock.now() - REMEMBERED_MS, newest: REMEMBERED_RUNS });
}
