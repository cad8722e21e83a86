import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { writeJson } from '../json-output.ts';
import { hintCommand } from '../retention/hint-command.ts';
import { withApp } from '../with-app.ts';

/** `coppice cron run NAME` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { args, io, global } = input;
  const name = args[0] ?? '';
  return withApp(input, async (home) => {
    const { sessionId, outcome, undelivered } = await (await home.scheduler()).run(name, io.signal);
    if (global.json) {
      writeJson(io.out, { job: name, sessionId, outcome, undelivered });
    } else {
      io.out.write(`${sessionId}: ${outcome}.\n`);
      const look = hintCommand(global, 'sessions', 'show', sessionId, '--messages', 'all');
      if (outcome !== 'done') io.err.write(`See what happened with: ${look}\n`);
      if (undelivered > 0) io.err.write('Its output could not be delivered yet. coppice serve keeps trying.\n');
    }
    return outcome === 'done' ? 0 : 3;
  });
}
