import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { writeJson } from '../print/json-output.ts';
import { withApp } from '../with-app.ts';

/** `coppice cron remove NAME` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { args, io, global } = input;
  const name = args[0] ?? '';
  return withApp(input, async (home) => {
    await (await home.scheduler()).remove(name);
    if (global.json) writeJson(io.out, { removed: name });
    else io.out.write(`Removed the job ${name}. The sessions of its runs stay.\n`);
    return 0;
  });
}
