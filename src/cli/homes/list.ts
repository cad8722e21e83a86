import { knownHomes } from '../../app/machine/known-homes.ts';
import { knownHomeDocument } from '../../app/machine/machine-overview.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';
import { renderTable } from '../print/table.ts';

/** `coppice homes list`: which homes are known, what they are called and why they are known. None of them is opened. */
export async function run({ io, global }: CommandInput<NoOptions>): Promise<number> {
  const { homes, problems } = await knownHomes(io.env);
  if (global.json) {
    writeJson(io.out, { homes: homes.map(knownHomeDocument), problems });
    return 0;
  }
  const rows = homes.map(({ name, agent, by, ignored, empty, path }) => [
    name,
    agent,
    ignored ? 'left out' : empty === true ? 'in use, empty' : BY_WORDS[by],
    path,
  ]);
  const { columns: width, colour } = io.out;
  io.out.write(renderTable({ columns: COLUMNS, rows, width, colour }));
  for (const { message } of problems) io.err.write(`${safeText(message)}\n`);
  if (homes.length === 1) io.out.write(`\nLook for more with: ${hintCommand({}, 'homes', 'scan')}\n`);
  return 0;
}

const BY_WORDS = { 'in-use': 'in use', found: 'found', added: 'added' } as const;

const COLUMNS = [{ title: 'NAME' }, { title: 'AGENT' }, { title: 'WHY' }, { title: 'PATH', shrink: true }];
