import { groupsOf } from '../core/retention/groups-of.ts';
import type { Outcome, RunItem } from '../core/retention/run.ts';
import { breathe } from './breathe.ts';
import type { RunParts } from './run-parts.ts';
import { NOT_REACHED, stateAfter } from './state-after.ts';

export interface UndoOptions {
  /** Only these items, by the id of what was removed; all when absent. */
  readonly ids?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Gives back what a run removed, item by item. What something else has taken the place of stays in the trash or the archive.
 */
export async function* undoRun(parts: RunParts, runId: string, options: UndoOptions = {}): AsyncGenerator<Outcome> {
  const wanted = options.ids && new Set(options.ids);
  const items: RunItem[] = [];
  for await (const item of parts.journal.items(runId, ['trashed', 'archived'])) {
    if (wanted === undefined || wanted.has(item.item.id)) items.push(item);
  }
  for (const group of groupsOf(items)) {
    await breathe(options.signal);
    await parts.journal.mark(
      runId,
      group.map(({ number }) => ({ number, state: 'undoing' })),
    );
    yield* finishUndoing(parts, runId, group);
  }
}

/** Gives back items that are being undone. Also what recovery does with those that a crash left behind. */
export async function* finishUndoing(
  { driver, journal }: RunParts,
  runId: string,
  items: readonly RunItem[],
): AsyncGenerator<Outcome> {
  const outcomes = await driver.restore(runId, items);
  const byNumber = new Map(outcomes.map((outcome) => [outcome.number, outcome]));
  await journal.mark(
    runId,
    items.flatMap((item) => {
      const status = byNumber.get(item.number)?.status;
      // What is stuck half way, or of which nothing was said, stays on its way, and the next recovery goes on with it.
      if (status !== 'done' && status !== 'skipped') return [];
      return [{ number: item.number, state: status === 'done' ? ('restored' as const) : stateAfter(item) }];
    }),
  );
  for (const { number, item, sizeBytes } of items) {
    const outcome = byNumber.get(number);
    if (outcome?.status === 'done') yield { item, action: 'restore', status: 'done', sizeBytes };
    else yield { item, action: 'restore', status: 'skipped', detail: outcome?.detail ?? NOT_REACHED, sizeBytes };
  }
}
