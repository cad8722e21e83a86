import { createHash } from 'node:crypto';
import { OK, type ToolCount, type Verdict } from '../core/gateway/gateway.ts';
import { type Flow, GUARD_NAMES, type GuardName } from '../core/gateway/guards.ts';
import type { JsonValue } from '../core/json.ts';
import type { EpochMs } from '../core/time.ts';
import { addToRate, NO_HOURLY_RATE, NO_RATE, type Rate, recent } from './rate.ts';
import { NO_STREAK, nextInStreak, type Streak } from './streak.ts';
import { strictest } from './strictest.ts';
import {
  consecutiveErrors,
  NO_TOOL_ERRORS,
  settledErrors,
  type ToolErrors,
  toolCalled,
  toolReturned,
} from './tool-errors.ts';
import { toolName } from './tool-tally.ts';
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

export type FlowEvent = Extract<GuardEvent, { readonly kind: 'flow' }>;
/** What a tool did: the model called it, or it answered. */
export type ToolEvent = Exclude<GuardEvent, FlowEvent>;

export interface GuardState {
  readonly kept: KeptGuards;
  readonly flow: Readonly<Record<Flow, Rate>>;
}

/** What outlives a process: a streak goes on where it was, and an hour is longer than many a run. */
export interface KeptGuards {
  readonly toolErrors: ToolErrors;
  readonly sameTool: Streak;
  readonly sameCall: Streak;
  readonly tokensPerHour: Rate;
}

export const NOTHING_KEPT: KeptGuards = {
  toolErrors: NO_TOOL_ERRORS,
  sameTool: NO_STREAK,
  sameCall: NO_STREAK,
  tokensPerHour: NO_HOURLY_RATE,
};

export const NOTHING_GUARDED: GuardState = {
  kept: NOTHING_KEPT,
  flow: { messages: NO_RATE, tokens: NO_RATE, bytes: NO_RATE },
};

/** What was kept, as whoever takes the session up finds it: calls that were on their way have no result any more. */
export function takenUp(kept: KeptGuards): GuardState {
  return { ...NOTHING_GUARDED, kept: { ...kept, toolErrors: settledErrors(kept.toolErrors) } };
}

/** The state after one event. Calls count in the order the model made them, results as `tool-errors.ts` says. */
export function afterEvent(state: GuardState, event: GuardEvent): GuardState {
  if (event.kind === 'flow') return afterFlow(state, event);
  return { ...state, kept: afterTool(state.kept, event) };
}

/** Whether an event changes what is kept. */
export function isKept(event: GuardEvent): boolean {
  return event.kind !== 'flow' || (event.amounts.tokens ?? 0) > 0;
}

/** What the guards say now: the strictest of all. */
export function guardVerdict({ kept, flow }: GuardState, rules: GuardRules, now: EpochMs): Verdict {
  const errors = consecutiveErrors(kept.toolErrors);
  const { sameTool, sameCall } = kept;
  const levels: Readonly<Record<GuardName, Level>> = {
    'tool-errors': { used: errors.count, tools: errors.tools },
    'same-tool': { used: sameTool.count, tools: repeated(sameTool, sameTool.count) },
    'repeated-calls': { used: sameCall.count, tools: repeated(sameTool, sameCall.count) },
    'messages-per-minute': { used: recent(flow.messages, now) },
    'tokens-per-minute': { used: recent(flow.tokens, now) },
    'tokens-per-hour': { used: recent(kept.tokensPerHour, now) },
    'bytes-per-minute': { used: recent(flow.bytes, now) },
  };
  return strictest(GUARD_NAMES.map((name) => climb(name, rules[name], levels[name])));
}

interface Level {
  readonly used: number;
  readonly tools?: readonly ToolCount[];
}

/** Calls with the same arguments are calls of the same tool, which is the one that was called last. */
function repeated({ key }: Streak, count: number): readonly ToolCount[] {
  return key === undefined ? [] : [{ name: key, count }];
}

function afterTool(kept: KeptGuards, event: Exclude<GuardEvent, { kind: 'flow' }>): KeptGuards {
  const { toolErrors } = kept;
  const name = toolName(event.name);
  if (event.kind === 'call') return { ...afterCall(kept, { ...event, name }), toolErrors: toolCalled(toolErrors) };
  // Who reports results only has made the call all the same.
  const called = toolErrors.open > 0 ? kept : afterCall(kept, { name });
  return { ...called, toolErrors: toolReturned(toolErrors, { name, ok: event.ok }) };
}

function afterCall(kept: KeptGuards, { name, args }: { name: string; args?: JsonValue }): KeptGuards {
  const sameCall = nextInStreak(kept.sameCall, args === undefined ? undefined : callKey(name, args));
  return { ...kept, sameTool: nextInStreak(kept.sameTool, name), sameCall };
}

/** Arguments may be as long as a file, so only their hash is kept. */
function callKey(name: string, args: JsonValue): string {
  return createHash('sha256')
    .update(JSON.stringify([name, args]))
    .digest('base64');
}

function afterFlow({ kept, flow }: GuardState, { at, amounts }: GuardEvent & { kind: 'flow' }): GuardState {
  const { messages = 0, tokens = 0, bytes = 0 } = amounts;
  return {
    kept: tokens === 0 ? kept : { ...kept, tokensPerHour: addToRate(kept.tokensPerHour, at, tokens) },
    flow: {
      messages: addToRate(flow.messages, at, messages),
      tokens: addToRate(flow.tokens, at, tokens),
      bytes: addToRate(flow.bytes, at, bytes),
    },
  };
}

function climb(rule: GuardName, ladder: Ladder, { used, tools = [] }: Level): Verdict {
  const kind = STRICTEST_FIRST.find((step) => used >= (ladder[step] ?? Infinity));
  if (kind === undefined) return OK;
  const limit = ladder[kind] ?? used;
  return verdictOf(kind, { rule, scope: 'session', used, limit, ...(tools.length > 0 && { tools }) });
}

const STRICTEST_FIRST = ['stop', 'warn', 'nudge'] as const;
