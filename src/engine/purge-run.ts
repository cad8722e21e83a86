import { groupsOf } from '../core/retention/groups-of.ts';
import type { ItemOutcome, RunItem } from '../core/retention/run.ts';
import type { RunParts } from './run-parts.ts';

/** Removes everything that a run put into the trash for good, and what an earlier purge could not; a part if told to stop. */
export async function purgeRun(parts: RunParts, runId: string, signal?: AbortSignal): Promise<readonly ItemOutcome[]> {
  const items: RunItem[] = [];
  for await (const item of parts.journal.items(runId, ['trashed', 'purging'])) items.push(item);
  const outcomes: ItemOutcome[] = [];
  for (const group of groupsOf(items)) {
    if (signal?.aborted === true) break;
    outcomes.push(...(await purgeItems(parts, runId, group)));
  }
  return outcomes;
}

/**
 * Removes items from a run's trash for good: the intent first, so that a crash leaves nothing half there unnoticed. What cannot
 * be removed now stays marked, with the reason, and the next recovery tries again.
 */
export async function purgeItems(
  { driver, journal }: RunParts,
  runId: string,
  items: readonly RunItem[],
): Promise<readonly ItemOutcome[]> {
  const outcomes: ItemOutcome[] = [];
  for (const group of groupsOf(items)) {
    await journal.mark(
      runId,
      group.map(({ number }) => ({ number, state: 'purging' })),
    );
    const purged = await driver.purge(runId, group);
    await journal.mark(
      runId,
      purged.map((outcome) =>
        outcome.status === 'done'
          ? { number: outcome.number, state: 'purged' }
          : { number: outcome.number, state: 'purging', detail: outcome.detail },
      ),
    );
    outcomes.push(...purged);
  }
  return outcomes;
}
