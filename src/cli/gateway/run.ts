import { runResultDocument } from '../../app/documents/run-result-document.ts';
import { stopOnSignals } from '../../app/stop-on-signals.ts';
import { FAILURES } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import { writeJson } from '../print/json-output.ts';
import { withHomeToStay } from '../with-home.ts';
import type { RunOptions } from './options.ts';
import { isBlind, runWords } from './run-words.ts';

/**
 * `coppice run -- AGENT ARGS…`. What the agent prints goes through untouched; the talk is on stderr. With `--json` the document about
 * the run is all there is on stdout, and what the agent prints goes to stderr.
 */
export function run(input: CommandInput<RunOptions>): Promise<number> {
  const { args, options, io, global } = input;
  const [command = '', ...rest] = args;
  return withHomeToStay(input, async (home) => {
    // An agent must not go on unwatched when its terminal is closed.
    using stop = stopOnSignals(io.signal);
    // Where a person types and looks, the agent gets a terminal as well; in a pipeline everything stays a pipe.
    const terminal = global.json || options.terminal === false ? undefined : io.terminal;
    const result = await home.gateway.run({
      command,
      args: rest,
      cwd: io.cwd,
      env: { ...io.env },
      ...options,
      tell: (sentence) => io.err.write(`coppice: ${sentence}\n`),
      signal: stop.signal,
      io: { stdin: 'inherit', stdout: global.json ? 2 : 1, stderr: 2, terminal },
    });
    const exitStatus = isBlind(result) && options.requireUsage === true ? FAILURES.refused.exit : result.exitStatus;
    if (global.json) {
      writeJson(io.out, runResultDocument(result));
      return exitStatus;
    }
    for (const line of runWords(result, global)) io.err.write(`coppice: ${line}\n`);
    return exitStatus;
  });
}
