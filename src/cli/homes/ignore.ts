import { resolve } from 'node:path';
import { ignoreHome } from '../../app/machine/change-homes.ts';
import { findKnownHome } from '../../app/machine/find-known-home.ts';
import { knownHomeDocument } from '../../app/machine/machine-overview.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';

/** `coppice homes ignore HOME`: leaves a home out of what is about all of them. */
export async function run({ args, io, global }: CommandInput<NoOptions>): Promise<number> {
  const [word = ''] = args;
  const named = await findKnownHome(word, io.env, io.cwd);
  const home = await ignoreHome(io.env, named?.path ?? resolve(io.cwd, word));
  if (global.json) writeJson(io.out, knownHomeDocument(home));
  else {
    const add = hintCommand({}, 'homes', 'add', home.path);
    io.out.write(
      `${safeText(home.name)} is left out from now on; nothing in it was changed.\nTake it back in with: ${add}\n`,
    );
  }
  return 0;
}
