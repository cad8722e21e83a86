import { groupsOf } from '../core/retention/groups-of.ts';
import type { ItemOutcome, Outcome, RunItem, RunItemState } from '../core/retention/run.ts';
import { type ApplyParts, finishIntended } from './apply-plan.ts';
import { purgeItems } from './purge-run.ts';
import { finishUndoing } from './undo-run.ts';

/** What recovery ended of one run. */
export interface RecoveredRun {
  readonly runId: string;
  /** What the run had set out to do. */
  readonly carriedOut: readonly Outcome[];
  /** What was being given back. */
  readonly givenBack: readonly Outcome[];
  /** What was being removed for good. */
  readonly purged: readonly ItemOutcome[];
}

/**
 * Finishes what a crash cut short, always forwards: an intent on disk is carried out, a purge or an undo that was begun is
 * ended. Doing it again changes nothing. A run that was stopped between groups is closed as it stands.
 */
export async function* recoverRuns(parts: ApplyParts): AsyncGenerator<RecoveredRun> {
  const { journal, clock } = parts;
  for (const runId of await journal.unfinished()) {
    const recovered = { runId, carriedOut: [] as Outcome[], givenBack: [] as Outcome[], purged: [] as ItemOutcome[] };
    for (const group of await groups(parts, runId, 'intended'))
      for await (const outcome of finishIntended(parts, runId, group)) recovered.carriedOut.push(outcome);
    for (const group of await groups(parts, runId, 'undoing'))
      for await (const outcome of finishUndoing(parts, runId, group)) recovered.givenBack.push(outcome);
    for (const group of await groups(parts, runId, 'purging'))
      recovered.purged.push(...(await purgeItems(parts, runId, group)));
    if ((await journal.run(runId))?.finishedAt === undefined) await journal.finish(runId, clock.now());
    yield recovered;
  }
}

async function groups({ journal }: ApplyParts, runId: string, state: RunItemState) {
  const items: RunItem[] = [];
  for await (const item of journal.items(runId, [state])) items.push(item);
  return groupsOf(items);
}
