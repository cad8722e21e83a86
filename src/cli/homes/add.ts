import { resolve } from 'node:path';
import { addHome } from '../../app/machine/change-homes.ts';
import { knownHomeDocument } from '../../app/machine/machine-overview.ts';
import type { CommandInput } from '../command.ts';
import type { HomesAddOptions } from '../command-options.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';

/** `coppice homes add PATH`: takes a home into the list, or back into it. */
export async function run({ args, options, io, global }: CommandInput<HomesAddOptions>): Promise<number> {
  const path = resolve(io.cwd, args[0] ?? '');
  const home = await addHome(io.env, { path, ...(options.name !== undefined && { name: options.name }) });
  if (global.json) writeJson(io.out, knownHomeDocument(home));
  else {
    const look = hintCommand({ home: home.name }, 'status');
    io.out.write(
      `${safeText(home.path)} is known as ${safeText(home.name)} (${safeText(home.agent)}).\nLook at it with: ${look}\n`,
    );
  }
  return 0;
}
