import type { AgentRunResult } from '../gateway/run-agent.ts';
import { sessionDocument } from './session-document.ts';

/** How a supervised run ended, as programs see it. */
export function runResultDocument(result: AgentRunResult) {
  const { session, cause, exitCode, signal, exitStatus, stats, used, checkpoints } = result;
  const { usageFrom, unpricedModels } = result;
  return {
    session: sessionDocument(session),
    outcome: cause.kind,
    ...(cause.kind === 'stopped' && { why: cause.why }),
    exitStatus,
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
    used: { tokens: used.tokens ?? 0, costUsd: (used.nanoUsd ?? 0) / 1e9 },
    ...(usageFrom !== undefined && { usageFrom }),
    ...(unpricedModels.length > 0 && { unpricedModels }),
    events: stats.events,
    refusedLines: stats.refusedLines,
    outputBytes: stats.outputBytes,
    ...(checkpoints !== undefined && {
      checkpoints: {
        ...(checkpoints.before !== undefined && { before: checkpoints.before.id }),
        ...(checkpoints.after !== undefined && { after: checkpoints.after.id }),
        problems: checkpoints.problems,
      },
    }),
  };
}
