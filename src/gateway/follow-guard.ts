import type { KeptChange } from '../core/gateway/spend-book.ts';
import { type EpochMs, MINUTE_MS } from '../core/time.ts';
import { afterEvent, type FlowEvent, type GuardEvent, isKept } from './guards.ts';
import { keptGuardsText, readKeptGuards } from './kept-guards-text.ts';
import type { AddedMessage, LiveState } from './live-state.ts';

/** Lets the guards of a session see an event. Streaks are shared by all processes, and outlive them; they are read again where another has written. */
export async function followGuard(state: LiveState, event: GuardEvent): Promise<void> {
  if (event.kind === 'flow') seeFlow(state, event);
  if (isKept(event)) await state.book.keep(keptChange(state, [event]));
}

/** What flows by is seen by this process alone, but for what is kept of it. */
export function seeFlow(state: LiveState, event: FlowEvent): void {
  const { flow } = afterEvent(state.guards, event);
  state.guards = { ...state.guards, flow };
}

export function flowOf({ clock }: LiveState, amounts: FlowEvent['amounts']): FlowEvent {
  return { kind: 'flow', at: clock.now(), amounts };
}

/** Messages that were said earlier, as in a backlog, are no part of a flood. */
export function flowOfMessages(messages: readonly AddedMessage[], now: EpochMs): FlowEvent {
  const fresh = messages.filter(({ at }) => at === undefined || now - at < MINUTE_MS);
  const bytes = fresh.reduce((sum, message) => sum + message.bytes, 0);
  return { kind: 'flow', at: now, amounts: { messages: fresh.length, bytes } };
}

/** What events change of the streaks, for the book to carry out. Told of each state in between. */
export function keptChange(
  state: LiveState,
  events: readonly GuardEvent[],
  passes?: (state: LiveState) => void,
): KeptChange {
  return {
    sessionId: state.sessionId,
    change(text) {
      const { flow } = state.guards;
      let kept = text === state.keptText ? state.guards.kept : readKeptGuards(text);
      for (const event of events) {
        ({ kept } = afterEvent({ kept, flow }, event));
        state.guards = { ...state.guards, kept };
        passes?.(state);
      }
      state.keptText = keptGuardsText(kept);
      return state.keptText;
    },
  };
}
