import type { App } from '../../app/app.ts';
import { type CarriedRun, carriedDocument } from '../../app/documents/run-document.ts';
import type { Outcome, Run, RunItem } from '../../core/retention/run.ts';
import type { CommandInput } from '../command.ts';
import { writeJson } from '../print/json-output.ts';
import { exitCodeOf, watch } from '../retention/carry-out.ts';
import { doneLines, skippedLines } from '../retention/outcome-lines.ts';

export interface GivingBack {
  readonly run: Run;
  readonly items: readonly RunItem[];
  /** Only these, by the id of what was removed. */
  readonly ids?: readonly string[];
  /** What came back before, when a command that had been cut short was finished. */
  readonly before?: readonly Outcome[];
}

/** Takes items out of the trash of a run, says what came back, and returns the exit code. */
export async function giveBack(input: CommandInput<object>, home: App, giving: GivingBack): Promise<number> {
  const { run, items, ids } = giving;
  const carried = await watch(input.io, { label: 'Giving back', total: items.length }, (options) =>
    home.undo(run.id, { ...options, ...(ids !== undefined && { ids }) }),
  );
  return reportGivenBack(input, giving, carried);
}

/** Says what came back, also before, and returns the exit code. */
export function reportGivenBack(
  { io, global }: CommandInput<object>,
  { run, items, before = [] }: GivingBack,
  given: CarriedRun,
): number {
  const carried = { ...given, outcomes: [...before, ...given.outcomes] };
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
