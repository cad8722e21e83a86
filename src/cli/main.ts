import { CommanderError, type Command as Definition } from 'commander';
import { Failure, INTERRUPTED } from '../core/failure.ts';
import type { GlobalOptions } from './command.ts';
import type { AgentOption } from './command-options.ts';
import type { Load, Over } from './define/define-command.ts';
import { type Io, withoutColour } from './io.ts';
import { packageVersion } from './package-files.ts';
import { createProgram, NoCommand, readGlobalOptions } from './program.ts';

/** Runs one command line, without the names of node and of the program, and returns its exit code. Never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const program = createProgram({
    out: io.out,
    clock: io.clock,
    version: packageVersion(),
    execute: async <O>(load: Load<O>, definition: Definition, over?: Over) => {
      const module = await load();
      // The makers of the options checked them; `define-….ts` says which command gets which.
      const options = definition.opts() as O & AgentOption;
      const input = {
        args: definition.args,
        options,
        global: await placed(readGlobalOptions(program), io),
        io: coloured(io),
      };
      if (over === undefined) exitCode = await module.run(input);
      else exitCode = await (await import('./homes/run-over.ts')).runOver(over, module, input);
    },
  });
  const coloured = (whole: Io) => (readGlobalOptions(program).color === false ? withoutColour(whole) : whole);
  try {
    await program.parseAsync([...argv], { from: 'user' }).catch(async (error: unknown) => {
      if (!(error instanceof NoCommand)) throw error;
      const { run } = await import('./homes/overview.ts');
      const global = await placed(readGlobalOptions(program), io);
      exitCode = await run({ args: [], options: {}, global, io: coloured(io) });
    });
    return exitCode;
  } catch (error) {
    // Help or the version was asked for, and printed.
    if (error instanceof CommanderError) return 0;
    if (io.signal.aborted && !(error instanceof Failure)) return INTERRUPTED;
    const { printFailure } = await import('./print-failure.ts');
    return printFailure(coloured(io), error, readGlobalOptions(program));
  }
}

/** A home may be called by its name. What is certainly a path costs nothing. */
async function placed(global: GlobalOptions, { env, cwd }: Io): Promise<GlobalOptions> {
  const { home } = global;
  if (home === undefined || /^[.~]|[/\\]/.test(home)) return global;
  const { findKnownHome } = await import('../app/machine/find-known-home.ts');
  const known = await findKnownHome(home, env, cwd);
  return known === undefined ? global : { ...global, homeAt: known.path };
}
