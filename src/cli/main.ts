import { CommanderError, type Command as Definition } from 'commander';
import { Failure, INTERRUPTED } from '../core/failure.ts';
import type { Load } from './define/define-command.ts';
import { type Io, withoutColour } from './io.ts';
import { packageVersion } from './package-files.ts';
import { createProgram, readGlobalOptions } from './program.ts';

/** Runs one command line, without the names of node and of the program, and returns its exit code. Never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const program = createProgram({
    out: io.out,
    clock: io.clock,
    version: packageVersion(),
    execute: async <O>(load: Load<O>, definition: Definition) => {
      const { run } = await load();
      // The makers of the options checked them; `define-….ts` says which command gets which.
      const options = definition.opts() as O;
      exitCode = await run({ args: definition.args, options, global: readGlobalOptions(program), io: coloured(io) });
    },
  });
  const coloured = (whole: Io) => (readGlobalOptions(program).color === false ? withoutColour(whole) : whole);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Help or the version was asked for, and printed.
    if (error instanceof CommanderError) return 0;
    if (io.signal.aborted && !(error instanceof Failure)) return INTERRUPTED;
    const { printFailure } = await import('./print-failure.ts');
    return printFailure(coloured(io), error, readGlobalOptions(program));
  }
}
