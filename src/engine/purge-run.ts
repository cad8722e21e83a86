import type { HomeDriver } from '../core/home-driver.ts';
import type { Journal, RunItem } from '../core/run.ts';

/** Removes items from a run's trash for good: the intent first, so that a crash leaves nothing half there unnoticed. */
export async function purgeItems(
  { driver, journal }: { driver: HomeDriver; journal: Journal },
  runId: string,
  items: readonly RunItem[],
): Promise<void> {
  if (items.length === 0) return;
  await journal.mark(
    runId,
    items.map(({ number }) => ({ number, state: 'purging' })),
  );
  const outcomes = await driver.purge(runId, items);
  await journal.mark(
    runId,
    outcomes.filter(({ status }) => status === 'done').map(({ number }) => ({ number, state: 'purged' })),
  );
}
