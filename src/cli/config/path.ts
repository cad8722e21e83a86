import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { writeJson } from '../print/json-output.ts';
import { withConfiguration } from './with-configuration.ts';

/** `coppice config path`: exactly as it is, for `$(coppice config path)`. */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { global, io } = input;
  return withConfiguration(input, async ({ file }) => {
    if (global.json) writeJson(io.out, { file });
    else io.out.write(`${file}\n`);
    return 0;
  });
}
