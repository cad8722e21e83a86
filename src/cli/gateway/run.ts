import { stopOnSignals } from '../../app/stop-on-signals.ts';
import { totalTokens } from '../../core/session.ts';
import type { CommandInput } from '../command.ts';
import { formatCount, formatTokens, formatUsd, plural } from '../format.ts';
import { withHome } from '../with-home.ts';
import type { RunOptions } from './options.ts';

/** `coppice run -- AGENT ARGS…`. What the agent prints goes through untouched; the talk is on stderr. */
export function run(input: CommandInput<RunOptions>): Promise<number> {
  const { args, options, io } = input;
  const [command = '', ...rest] = args;
  return withHome(input, async (home) => {
    // An agent must not go on unwatched when its terminal is closed.
    using stop = stopOnSignals(io.signal);
    const result = await home.gateway.run({
      command,
      args: rest,
      cwd: io.cwd,
      env: { ...io.env },
      ...options,
      signal: stop.signal,
      io: { stdin: 'inherit', stdout: 1, stderr: 2 },
    });
    const { session, cause, stats } = result;
    if (cause.kind === 'stopped') io.err.write(`coppice: Stopped. ${cause.why}\n`);
    const used = session.usage.costUsd > 0 ? `, ${formatUsd(session.usage.costUsd)}` : '';
    io.err.write(
      `coppice: Session ${session.id}: ${plural(session.messageCount, 'message')}, ${formatTokens(totalTokens(session.usage))} tokens${used}.\n`,
    );
    if (stats.refusedLines > 0) {
      io.err.write(
        `coppice: ${formatCount(stats.refusedLines)} lines were no valid events: ${stats.problems[0] ?? ''}\n`,
      );
    }
    return result.exitStatus;
  });
}
