import type { KnownHome } from '../../app/machine/known-homes.ts';
import type { CommandInput } from '../command.ts';
import type { TextOutput } from '../io.ts';
import { safeText } from '../print/safe-text.ts';

/** The same command on one home, as if its name had been typed. */
export function inHome<O>(input: CommandInput<O>, { name, path }: KnownHome, args = input.args): CommandInput<O> {
  return { ...input, args, global: { ...input.global, home: name, homeAt: path } };
}

/** What stands above what is said of one of several homes. */
export function writeHeading(out: TextOutput, { name, agent, path }: KnownHome): void {
  out.write(`${out.colour.bold(out.colour.cyan(safeText(name)))}  ${out.colour.dim(safeText(`${agent}, ${path}`))}\n`);
}

/** A home as it stands in documents about several. */
export function homeFields({ name, kind, agent, path }: KnownHome) {
  return { name, kind, agent, path };
}
