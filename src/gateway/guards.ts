import { createHash } from 'node:crypto';
import { GUARD_NAMES, type GuardName, OK, type Verdict } from '../core/gateway.ts';
import type { JsonValue } from '../core/json.ts';
import type { EpochMs } from '../core/time.ts';
import { addToRate, NO_RATE, perMinute, type Rate } from './rate.ts';
import { NO_STREAK, nextInStreak, type Streak } from './streak.ts';
import { strictest } from './strictest.ts';
import { consecutiveErrors, NO_TOOL_ERRORS, type ToolErrors, toolCalled, toolReturned } from './tool-errors.ts';
import { verdictOf } from './verdict-of.ts';

/** From which count on a guard says what; a step that is left out is never taken. */
export interface Ladder {
  readonly nudge?: number | undefined;
  readonly warn?: number | undefined;
  readonly stop?: number | undefined;
}

export type GuardRules = Readonly<Record<GuardName, Ladder>>;

/** What happens in a session, as far as guards look at it. */
export type GuardEvent =
  /** Without arguments it is not known whether two calls are the same. */
  | { readonly kind: 'call'; readonly name: string; readonly args?: JsonValue }
  | { readonly kind: 'result'; readonly name: string; readonly ok: boolean }
  | { readonly kind: 'flow'; readonly at: EpochMs; readonly amounts: Partial<Readonly<Record<Flow, number>>> };

type Flow = 'messages' | 'tokens' | 'bytes';

export interface GuardState {
  readonly toolErrors: ToolErrors;
  readonly sameTool: Streak;
  readonly sameCall: Streak;
  readonly flow: Readonly<Record<Flow, Rate>>;
}

export const NOTHING_GUARDED: GuardState = {
  toolErrors: NO_TOOL_ERRORS,
  sameTool: NO_STREAK,
  sameCall: NO_STREAK,
  flow: { messages: NO_RATE, tokens: NO_RATE, bytes: NO_RATE },
};

/** The state after one event. Calls count in the order the model made them, results as `tool-errors.ts` says. */
export function afterEvent(state: GuardState, event: GuardEvent): GuardState {
  const { toolErrors } = state;
  if (event.kind === 'flow') return { ...state, flow: afterFlow(state.flow, event) };
  if (event.kind === 'call') return { ...afterCall(state, event), toolErrors: toolCalled(toolErrors) };
  // Who reports results only has made the call all the same.
  const called = toolErrors.open > 0 ? state : afterCall(state, event);
  return { ...called, toolErrors: toolReturned(toolErrors, event.ok) };
}

/** What the guards say now: the strictest of all. */
export function guardVerdict(state: GuardState, rules: GuardRules, now: EpochMs): Verdict {
  const levels: Readonly<Record<GuardName, number>> = {
    'tool-errors': consecutiveErrors(state.toolErrors),
    'same-tool': state.sameTool.count,
    'repeated-calls': state.sameCall.count,
    'messages-per-minute': perMinute(state.flow.messages, now),
    'tokens-per-minute': perMinute(state.flow.tokens, now),
    'bytes-per-minute': perMinute(state.flow.bytes, now),
  };
  return strictest(GUARD_NAMES.map((name) => climb(name, rules[name], levels[name])));
}

function afterCall(state: GuardState, { name, args }: { name: string; args?: JsonValue }): GuardState {
  const sameCall = nextInStreak(state.sameCall, args === undefined ? undefined : callKey(name, args));
  return { ...state, sameTool: nextInStreak(state.sameTool, name), sameCall };
}

/** Arguments may be as long as a file, so only their hash is kept. */
function callKey(name: string, args: JsonValue): string {
  return createHash('sha256')
    .update(JSON.stringify([name, args]))
    .digest('base64');
}

function afterFlow(flow: GuardState['flow'], { at, amounts }: GuardEvent & { kind: 'flow' }): GuardState['flow'] {
  const { messages = 0, tokens = 0, bytes = 0 } = amounts;
  return {
    messages: addToRate(flow.messages, at, messages),
    tokens: addToRate(flow.tokens, at, tokens),
    bytes: addToRate(flow.bytes, at, bytes),
  };
}

function climb(rule: GuardName, ladder: Ladder, used: number): Verdict {
  const kind = STRICTEST_FIRST.find((step) => used >= (ladder[step] ?? Infinity));
  return kind === undefined ? OK : verdictOf(kind, { rule, scope: 'session', used, limit: ladder[kind] ?? used });
}

const STRICTEST_FIRST = ['stop', 'warn', 'nudge'] as const;
