import type { Verdict } from '../core/gateway/gateway.ts';
import type { LiveState } from './live-state.ts';
import { stopReason } from './stop-reason.ts';

/** Once a session was told to stop it is told nothing else, and ends with the verdict. */
export function remember(state: LiveState, verdict: Verdict): Verdict {
  if (verdict.kind === 'stop' && state.stopped === undefined) {
    state.stopped = verdict;
    // Whoever waits for it is told when it fails.
    if (!state.isSupervised) endStopped(state, verdict).catch(() => undefined);
  }
  return state.stopped ?? verdict;
}

export function endStopped(state: LiveState, verdict: Verdict): Promise<void> {
  state.ending ??= state.recorder.end(stopReason(verdict), verdict);
  return state.ending;
}
