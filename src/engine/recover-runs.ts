import { groupsOf } from '../core/groups-of.ts';
import type { Outcome, RunItem, RunItemState } from '../core/run.ts';
import { type ApplyParts, finishIntended } from './apply-plan.ts';
import { purgeItems } from './purge-run.ts';
import { finishUndoing } from './undo-run.ts';

/**
 * Finishes what a crash cut short, always forwards: an intent on disk is carried out, a purge or an undo that was begun is
 * ended. Doing it again changes nothing. A run that was stopped between groups is closed as it stands.
 */
export async function* recoverRuns(parts: ApplyParts): AsyncGenerator<Outcome> {
  const { journal, clock } = parts;
  for (const runId of await journal.unfinished()) {
    for (const group of await groups(parts, runId, 'intended')) yield* finishIntended(parts, runId, group);
    for (const group of await groups(parts, runId, 'undoing')) yield* finishUndoing(parts, runId, group);
    for (const group of await groups(parts, runId, 'purging')) await purgeItems(parts, runId, group);
    if ((await journal.run(runId))?.finishedAt === undefined) await journal.finish(runId, clock.now());
  }
}

async function groups({ journal }: ApplyParts, runId: string, state: RunItemState) {
  const items: RunItem[] = [];
  for await (const item of journal.items(runId, [state])) items.push(item);
  return groupsOf(items);
}
