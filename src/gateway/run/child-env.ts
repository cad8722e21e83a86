import { ADVICE_VARIABLE } from './advice-file.ts';
import type { ChildOptions } from './child.ts';
import { RUNS_VARIABLE } from './run-record.ts';

/** Where the child finds its event channel. */
const EVENTS_FD = 3;

/** What a command finds in its environment. */
export function childEnv({ env, sessionId, runId, nonce, advice }: ChildOptions): NodeJS.ProcessEnv {
  const runs = [env[RUNS_VARIABLE], runId].filter(Boolean).join(' ');
  const events = { COPPICE_EVENTS_FD: String(EVENTS_FD), COPPICE_EVENTS_NONCE: nonce };
  const own = { COPPICE_SESSION_ID: sessionId, ...events, [RUNS_VARIABLE]: runs };
  // Not the file of a run around this one: its advice is not for this agent.
  return { ...env, ...own, [ADVICE_VARIABLE]: advice };
}
