import { stopOnSignals } from '../../app/stop-on-signals.ts';
import type { CommandInput } from '../command.ts';
import { formatBytes, formatTokens, formatUsd, plural } from '../format.ts';
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
    const { session, cause, stats, used } = result;
    if (cause.kind === 'stopped') io.err.write(`coppice: Stopped. ${cause.why}\n`);
    const amounts = [
      plural(session.messageCount, 'message'),
      `${formatTokens(used.tokens ?? 0)} tokens`,
      ...(used.nanoUsd ? [formatUsd(used.nanoUsd / 1e9)] : []),
      ...(stats.outputBytes > 0 ? [`${formatBytes(stats.outputBytes)} printed`] : []),
    ];
    io.err.write(`coppice: Session ${session.id}: ${amounts.join(', ')}.\n`);
    if (stats.refusedLines > 0) {
      io.err.write(`coppice: ${plural(stats.refusedLines, 'line')} not taken as events: ${stats.problems[0] ?? ''}\n`);
    }
    return result.exitStatus;
  });
}
