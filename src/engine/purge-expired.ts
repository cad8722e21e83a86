import type { ItemOutcome } from '../core/retention/run.ts';
import type { Clock } from '../core/time.ts';
import { purgeRun } from './purge-run.ts';
import type { RunParts } from './run-parts.ts';

/** What emptying the trash came to. */
export interface EmptiedTrash {
  readonly items: number;
  /** What could not be removed; it stays, and the next who changes the home tries again. */
  readonly skipped: number;
  readonly freedBytes: number;
}

/** What emptying the trash of one run came to. */
export interface EmptiedRun extends EmptiedTrash {
  /** How large what is gone was, as lists count it. */
  readonly sizeBytes: number;
}

/**
 * Empties the trash of runs that can no longer be undone, the oldest first: whoever removed has decided about them already, so
 * this needs no rule and no guard. It stops between two groups when it is told to, and whoever comes next goes on.
 */
export async function purgeExpired(
  parts: RunParts & { readonly clock: Clock },
  signal?: AbortSignal,
): Promise<EmptiedTrash> {
  const outcomes: ItemOutcome[] = [];
  for (const { id, expiresAt } of await parts.journal.inTrash()) {
    if (expiresAt > parts.clock.now() || signal?.aborted === true) break;
    outcomes.push(...(await purgeRun(parts, id, signal)));
  }
  return emptied(outcomes);
}

/** Counts what a purge did. */
export function emptied(outcomes: readonly ItemOutcome[]): EmptiedTrash {
  const done = outcomes.filter((outcome) => outcome.status === 'done');
  const freedBytes = done.reduce((sum, { freedBytes: freed = 0 }) => sum + freed, 0);
  return { items: done.length, skipped: outcomes.length - done.length, freedBytes };
}
