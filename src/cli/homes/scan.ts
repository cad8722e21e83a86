import { resolve } from 'node:path';
import { userFolder } from '../../app/home-path.ts';
import { scanForHomes } from '../../app/machine/scan-for-homes.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { plural } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';

/** `coppice homes scan [FOLDER]`: looks for homes in places where nobody would expect them. Adds none of them. */
export async function run({ args, io, global }: CommandInput<NoOptions>): Promise<number> {
  const [folder] = args;
  const root = folder === undefined ? userFolder() : resolve(io.cwd, folder);
  const { found, folders, cut } = await scanForHomes(io.env, root, io.signal);
  if (global.json) {
    writeJson(io.out, { folder: root, folders, cut, homes: found });
    return 0;
  }
  for (const { agent, path } of found) {
    io.out.write(`${safeText(agent)}  ${safeText(path)}\n  Add it with: ${hintCommand({}, 'homes', 'add', path)}\n`);
  }
  if (found.length === 0)
    io.out.write(`No other home below ${safeText(root)} (${plural(folders, 'folder')} looked into).\n`);
  if (cut) io.err.write('There are more folders than are looked into. Name one of them: coppice homes scan FOLDER\n');
  return 0;
}
