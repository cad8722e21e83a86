import { configJsonSchema } from '../../app/config/config-json-schema.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';

/** `coppice config schema`: the schema itself is the document, so that editors can use what is printed. */
export async function run({ io }: CommandInput<NoOptions>): Promise<number> {
  io.out.write(`${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
  return 0;
}
