import { afterEvent, type GuardEvent, isKept } from './guards.ts';
import { keptGuardsText, readKeptGuards } from './kept-guards-text.ts';
import type { LiveState } from './live-state.ts';

/** Lets the guards of a session see an event. Streaks are shared by all processes, and outlive them; they are read again where another has written. */
export function followGuard(state: LiveState, event: GuardEvent): void {
  if (!isKept(event)) {
    state.guards = afterEvent(state.guards, event);
    return;
  }
  state.book.keep(state.sessionId, (text) => {
    const kept = text === state.keptText ? state.guards.kept : readKeptGuards(text);
    state.guards = afterEvent({ ...state.guards, kept }, event);
    state.keptText = keptGuardsText(state.guards.kept);
    return state.keptText;
  });
}
