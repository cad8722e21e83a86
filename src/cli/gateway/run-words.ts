import type { AgentRunResult } from '../../app/gateway/run-agent.ts';
import type { RunCheckpoints } from '../../app/gateway/run-checkpoints.ts';
import { RUN_COUNTERS, runOption } from '../../core/gateway/limits.ts';
import { shortId } from '../../core/retention/checkpoint.ts';
import { formatBytes, formatTokens, formatUsd, plural } from '../print/format.ts';
import { hintCommand, type Place } from '../hint-command.ts';
import { unpricedSentence } from './budget-words.ts';

/** What a person is told of a run that has ended, a line each: why it was stopped first, and the next step last. */
export function runWords(result: AgentRunResult, place: Place): readonly string[] {
  const { cause, session, alerts, checkpoints, unpricedModels, stats } = result;
  const amounts = amountsOf(result).join(', ');
  return [
    ...(cause.kind === 'stopped' ? [`Stopped. ${cause.why}`] : []),
    amounts === '' ? `Session ${session.id}.` : `Session ${session.id}: ${amounts}.`,
    ...alerts,
    ...checkpointLines(checkpoints, place),
    ...(isBlind(result) ? [result.isMetered ? NOTHING_METERED : NOTHING_TOLD] : []),
    ...(unpricedModels.length > 0 ? [unpricedSentence(unpricedModels)] : []),
    ...(stats.refusedLines > 0
      ? [`${plural(stats.refusedLines, 'line')} not taken as events: ${stats.problems[0] ?? ''}`]
      : []),
    ...(cause.kind === 'stopped' ? [nextStep(result, place)] : []),
  ];
}

/** Whether a limit was set that nothing could keep, because nobody told what was used. */
export function isBlind({ isLimited, usageFrom }: AgentRunResult): boolean {
  return isLimited && usageFrom === undefined;
}

const NOTHING_TOLD =
  'Nothing told what the agent used, so no limit in tokens or dollars could stop it. Count it with: coppice run --meter';
const NOTHING_METERED =
  'No call to a model came through the meter, so nothing was counted. If the agent made any, they went another way: limit it with --max-minutes.';

/** What nobody told is left out: no tokens is not the same as none that anybody knows of. */
function amountsOf({ session, stats, used, usageFrom }: AgentRunResult): readonly string[] {
  const { tokens = 0, nanoUsd = 0 } = used;
  return [
    ...(session.messageCount > 0 ? [plural(session.messageCount, 'message')] : []),
    ...(tokens > 0 || usageFrom !== undefined ? [`${formatTokens(tokens)} tokens`] : []),
    ...(nanoUsd > 0 ? [formatUsd(nanoUsd / 1e9)] : []),
    ...(stats.outputBytes > 0 ? [`${formatBytes(stats.outputBytes)} printed`] : []),
  ];
}

/** How to go on after a stop: with another run, with a larger budget, or by looking at what happened. */
function nextStep({ stoppedBy, session }: AgentRunResult, place: Place): string {
  const [cause] = stoppedBy?.causes ?? [];
  const limited = RUN_COUNTERS.find((counter) => counter === cause?.rule);
  if (cause === undefined || limited === undefined)
    return `See what it did with: ${hintCommand(place, 'sessions', 'show', session.id)}`;
  if (cause.scope !== 'session')
    return `To go on, raise the limit under budgets in config.yaml. See what is left with: ${hintCommand(place, 'budget')}`;
  return `To go on, run it again: each run may use as much. To let one use more, give it a higher ${runOption(limited)}.`;
}

/** What was saved of the folder, and how to take it back. */
function checkpointLines(checkpoints: RunCheckpoints | undefined, place: Place): readonly string[] {
  if (checkpoints === undefined) return [];
  const { before, after, problems } = checkpoints;
  if (before === undefined) return problems;
  const short = shortId(before.id);
  const changed = after !== undefined && after.id !== before.id;
  const said = changed
    ? `Take the files back to before this run: ${hintCommand(place, 'checkpoints', 'restore', short)}`
    : `No file changed since checkpoint ${short}.`;
  return after === undefined ? problems : [said, ...problems];
}
