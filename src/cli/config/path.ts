import { configPath } from '../../app/home-path.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { writeJson } from '../json-output.ts';

/** `coppice config path`: exactly as it is, for `$(coppice config path)`. */
export async function run({ global, io }: CommandInput<NoOptions>): Promise<number> {
  const file = await configPath(global.home, io.env);
  if (global.json) writeJson(io.out, { file });
  else io.out.write(`${file}\n`);
  return 0;
}
