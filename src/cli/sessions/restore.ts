import { outcomeDocument } from '../../app/documents/run-document.ts';
import { givenBackBy } from '../../app/retention/given-back-by.ts';
import type { Outcome } from '../../core/retention/run.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { writeJson } from '../print/json-output.ts';
import { startProgress } from '../print/progress.ts';
import { exitCodeOf } from '../retention/carry-out.ts';
import { doneLines, skippedLines } from '../retention/outcome-lines.ts';
import { withApp } from '../with-app.ts';

/** `coppice sessions restore ID…`: brings archived sessions back exactly as they were. */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { args, io, global } = input;
  return withApp(input, async (home) => {
    const retention = await home.retention();
    const recovered = await retention.recover();
    const ids: string[] = [];
    for (const id of args) ids.push((await home.sessions.find(id)).id);
    // A restore that was cut short is finished by now, and part of this one.
    const outcomes: Outcome[] = [...givenBackBy(recovered, { ids })];
    const left = ids.filter((id) => !outcomes.some(({ item }) => item.id === id));
    using progress = startProgress(io, { label: 'Restoring', total: ids.length });
    const onOutcome = (outcome: Outcome) => progress.update({ done: outcomes.push(outcome) });
    await retention.restore(left, { signal: io.signal, onOutcome });
    progress.done();
    if (global.json) writeJson(io.out, { sessions: outcomes.map(outcomeDocument) });
    else io.out.write(`${[...doneLines(outcomes, () => 'archive'), ...skippedLines(outcomes)].join('\n')}\n`);
    return exitCodeOf({ outcomes, freedBytes: 0, interrupted: false });
  });
}
