import type { App } from '../../app/app.ts';
import { carriedDocument } from '../../app/documents/run-document.ts';
import type { Outcome, Run, RunItem } from '../../core/run.ts';
import type { CommandInput } from '../command.ts';
import { writeJson } from '../json-output.ts';
import { exitCodeOf, watch } from './carry-out.ts';
import { doneLines, skippedLines } from './outcome-lines.ts';

export interface GivingBack {
  readonly run: Run;
  readonly items: readonly RunItem[];
  /** Only these, by the id of what was removed. */
  readonly ids?: readonly string[];
}

/** Takes items out of the trash of a run, says what came back, and returns the exit code. */
export async function giveBack(
  { io, global }: CommandInput<object>,
  home: App,
  { run, items, ids }: GivingBack,
): Promise<number> {
  const carried = await watch(io, { label: 'Giving back', total: items.length }, (options) =>
    home.undo(run.id, { ...options, ...(ids !== undefined && { ids }) }),
  );
  if (global.json) writeJson(io.out, { ...carriedDocument({ ...carried, run }) });
  else {
    const actions = new Map(items.map(({ item, action }) => [`${item.kind} ${item.id}`, action]));
    const removedBy = ({ item }: Outcome) => actions.get(`${item.kind} ${item.id}`) ?? 'remove';
    const done = doneLines(carried.outcomes, removedBy);
    const lines = [...(done.length === 0 ? ['Nothing was given back.'] : done), ...skippedLines(carried.outcomes)];
    io.out.write(`${lines.join('\n')}\n`);
    if (carried.interrupted)
      io.err.write('Stopped. What is left is still in the trash. Run the command again to go on.\n');
  }
  return exitCodeOf(carried);
}
