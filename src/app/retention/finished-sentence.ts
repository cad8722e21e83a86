import type { RecoveredRun } from '../../engine/recover-runs.ts';

/** What a person is told of a run that a dead process had left, now that it is finished; nothing where it only had to be closed. */
export function finishedSentence({ runId, carriedOut, givenBack, purged }: RecoveredRun): readonly string[] {
  const done = carriedOut.filter(({ status }) => status === 'done');
  const undoable = done.filter(({ action, forGood }) => action !== 'purge' && forGood !== true).length;
  const counts = [
    counted(done.length - undoable + purged.filter(({ status }) => status === 'done').length, 'removed for good'),
    counted(undoable, 'removed'),
    counted(givenBack.filter(({ status }) => status === 'done').length, 'given back'),
  ].flat();
  if (counts.length === 0) return [];
  const undo = undoable === 0 ? '.' : `. Undo it with: coppice undo ${runId}`;
  return [`A command that was cut short is finished now: ${counts.join(', ')}${undo}`];
}

function counted(items: number, what: string): string[] {
  return items === 0 ? [] : [`${items} ${items === 1 ? 'item' : 'items'} ${what}`];
}
