import type { AppRetention } from '../../app/app.ts';
import type { Outcome, Run } from '../../core/retention/run.ts';
import { itemsOf } from '../retention/items-of.ts';

/** What the same command did before it was cut short. */
export interface RemovedBefore {
  readonly runs: readonly Run[];
  readonly outcomes: readonly Outcome[];
}

export interface Named {
  readonly ids: readonly string[];
  /** Also what an earlier command put into the trash and was to remove for good, if it holds nothing but these. */
  readonly forGood: boolean;
}

/**
 * Finishes what was cut short, and finds what of the named sessions is gone by that: whoever types the same command again
 * wants them to be, and is not told that there are no such sessions.
 */
export async function removedBefore(retention: AppRetention, { ids, forGood }: Named): Promise<RemovedBefore> {
  const finished = new Set((await retention.recover()).map(({ runId }) => runId));
  const runs: Run[] = [];
  const outcomes: Outcome[] = [];
  if (finished.size === 0 && !forGood) return { runs, outcomes };
  for await (const run of retention.runs()) {
    if (run.request.kind !== 'delete' || !(forGood || finished.has(run.id))) continue;
    const items = await itemsOf(retention, run.id, 'trashed', ...(finished.has(run.id) ? ['purged' as const] : []));
    if (items.length === 0 || !items.every(({ item }) => ids.includes(item.id))) continue;
    runs.push(run);
    for (const { item, sizeBytes } of items) outcomes.push({ item, action: 'remove', status: 'done', sizeBytes });
  }
  return { runs, outcomes };
}
