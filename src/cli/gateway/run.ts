import { runResultDocument } from '../../app/documents/run-result-document.ts';
import type { RunCheckpoints } from '../../app/gateway/run-checkpoints.ts';
import { stopOnSignals } from '../../app/stop-on-signals.ts';
import { shortId } from '../../core/checkpoint.ts';
import { FAILURES } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import { formatBytes, formatTokens, formatUsd, plural } from '../format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../json-output.ts';
import { withHomeToStay } from '../with-home.ts';
import { unpricedSentence } from './budget-words.ts';
import type { RunOptions } from './options.ts';

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
    const isBlind = result.isLimited && result.usageFrom === undefined;
    const exitStatus = isBlind && options.requireUsage === true ? FAILURES.refused.exit : result.exitStatus;
    if (global.json) {
      writeJson(io.out, runResultDocument(result));
      return exitStatus;
    }
    const { session, cause, stats, used } = result;
    if (cause.kind === 'stopped') io.err.write(`coppice: Stopped. ${cause.why}\n`);
    const amounts = [
      plural(session.messageCount, 'message'),
      `${formatTokens(used.tokens ?? 0)} tokens`,
      ...(used.nanoUsd ? [formatUsd(used.nanoUsd / 1e9)] : []),
      ...(stats.outputBytes > 0 ? [`${formatBytes(stats.outputBytes)} printed`] : []),
    ];
    io.err.write(`coppice: Session ${session.id}: ${amounts.join(', ')}.\n`);
    for (const alert of result.alerts) io.err.write(`coppice: ${alert}\n`);
    for (const line of checkpointLines(result.checkpoints, global)) io.err.write(`coppice: ${line}\n`);
    if (isBlind) io.err.write(`coppice: ${NOTHING_TOLD}\n`);
    if (result.unpricedModels.length > 0) io.err.write(`coppice: ${unpricedSentence(result.unpricedModels)}\n`);
    if (stats.refusedLines > 0) {
      io.err.write(`coppice: ${plural(stats.refusedLines, 'line')} not taken as events: ${stats.problems[0] ?? ''}\n`);
    }
    return exitStatus;
  });
}

const NOTHING_TOLD =
  'Nothing told what the agent used, so no limit in tokens or dollars could stop it. Count it with: coppice run --meter';

/** What was saved of the folder, and how to take it back. */
function checkpointLines(
  checkpoints: RunCheckpoints | undefined,
  global: CommandInput<RunOptions>['global'],
): readonly string[] {
  if (checkpoints === undefined) return [];
  const { before, after, problems } = checkpoints;
  if (before === undefined) return problems;
  const short = shortId(before.id);
  const changed = after !== undefined && after.id !== before.id;
  const said = changed
    ? `Take the files back to before this run: ${hintCommand(global, 'checkpoints', 'restore', short)}`
    : `No file changed since checkpoint ${short}.`;
  return after === undefined ? problems : [said, ...problems];
}
