import { z } from 'zod';
import { Failure } from '../../../core/failure.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json.ts';
import { nestedDeeper } from '../../../core/nested-deeper.ts';
import { checkNewMessage, checkTitle, checkUsage } from '../../../core/sessions/check-session.ts';
import { type NewMessage, ROLES } from '../../../core/sessions/message.ts';
import type { UsageReport } from '../../../core/sessions/session.ts';

/** What a supervised agent tells about itself. `docs/formats/events.md` is the format; `kind` is the key `coppice` there. */
export type RunEvent =
  | { readonly kind: 'message'; readonly message: NewMessage }
  /** With `cumulative`, the numbers are totals so far of whatever bears that name, and not what was added. */
  | { readonly kind: 'usage'; readonly usage: UsageReport; readonly cumulative?: string }
  | ToolEvent
  | { readonly kind: 'iteration' }
  | { readonly kind: 'title'; readonly title: string }
  | { readonly kind: 'note'; readonly text: string };

/** A tool that has run. */
export interface ToolEvent {
  readonly kind: 'tool';
  readonly name: string;
  readonly ok: boolean;
  readonly id?: string;
  readonly args?: JsonValue;
}

/** What a line turned out to be. `foreign` is a line that does not claim to be an event. */
export type ReadEvent =
  | { readonly status: 'event'; readonly event: RunEvent }
  | { readonly status: 'refused'; readonly problem: string }
  | { readonly status: 'foreign'; readonly problem: string };

/**
 * Reads one line of the event channel. Whatever the line holds, the answer is a value: nothing an agent writes throws. With a nonce, a
 * line that does not bear it claims nothing: anybody can print one.
 */
export function readRunEvent(line: string, nonce?: string): ReadEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { status: 'foreign', problem: 'is not JSON' };
  }
  if (!isJsonObject(value) || value['coppice'] === undefined) {
    return { status: 'foreign', problem: 'is not a JSON object with the key "coppice"' };
  }
  if (nonce !== undefined && value['nonce'] !== nonce) {
    return { status: 'foreign', problem: 'does not bear the nonce of this run' };
  }
  if (nestedDeeper(value, MAX_LEVELS)) return { status: 'refused', problem: 'is nested too deeply' };
  const parsed = EVENT.safeParse(value);
  if (!parsed.success) return { status: 'refused', problem: firstIssue(parsed.error) };
  return checked(parsed.data);
}

/** Deeper values could be parsed but not written again: writing JSON needs a stack. */
const MAX_LEVELS = 100;

const object = z.custom<JsonObject>(isJsonObject, 'must be an object');
const json = z.custom<JsonValue>((value) => value !== undefined);
const toolCall = z.object({ id: z.string(), name: z.string(), arguments: json });
const count = z.number().exactOptional();

/** Fields that a later version may add are passed over. */
const EVENT = z.discriminatedUnion('coppice', [
  z.object({
    coppice: z.literal('message'),
    role: z.enum(ROLES),
    content: z.union([z.string(), z.array(object)]),
    toolCalls: z.array(toolCall).exactOptional(),
    toolCallId: z.string().exactOptional(),
    name: z.string().exactOptional(),
    failed: z.boolean().exactOptional(),
    model: z.string().exactOptional(),
    metadata: object.exactOptional(),
  }),
  z.object({
    coppice: z.literal('usage'),
    model: z.string(),
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    reasoningTokens: count,
    costUsd: count,
    cumulative: z.union([z.boolean(), z.string()]).exactOptional(),
  }),
  z.object({
    coppice: z.literal('tool'),
    name: z.string(),
    ok: z.boolean(),
    id: z.string().exactOptional(),
    args: json.exactOptional(),
  }),
  z.object({ coppice: z.literal('iteration') }),
  z.object({ coppice: z.literal('title'), title: z.string() }),
  z.object({ coppice: z.literal('note'), text: z.string() }),
]);

type Line = z.infer<typeof EVENT>;

/** What the store would not take is refused here, where it costs a line and not the run. */
function checked(line: Line): ReadEvent {
  try {
    return { status: 'event', event: toEvent(line) };
  } catch (error) {
    if (error instanceof Failure) return { status: 'refused', problem: `cannot be kept: ${error.message}` };
    throw error;
  }
}

function toEvent(line: Line): RunEvent {
  switch (line.coppice) {
    case 'message':
      return toMessage(line);
    case 'usage':
      return toUsage(line);
    case 'title':
      checkTitle(line.title);
      return { kind: 'title', title: line.title };
    case 'note':
      return { kind: 'note', text: line.text };
    case 'tool':
      return toTool(line);
    case 'iteration':
    default:
      return { kind: 'iteration' };
  }
}

function toMessage({ coppice: _, ...message }: Extract<Line, { coppice: 'message' }>): RunEvent {
  checkNewMessage(message);
  return { kind: 'message', message };
}

function toUsage({ coppice: _, cumulative, ...usage }: Extract<Line, { coppice: 'usage' }>): RunEvent {
  checkUsage(usage);
  if (cumulative === undefined || cumulative === false) return { kind: 'usage', usage };
  return { kind: 'usage', usage, cumulative: cumulative === true ? '' : cumulative };
}

function toTool({ coppice: kind, ...tool }: Extract<Line, { coppice: 'tool' }>): RunEvent {
  return { kind, ...tool };
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  const field = issue?.path.join('.') ?? '';
  if (field === 'coppice') return 'names an event that is not known';
  return `has a field that is not valid: ${field} (${issue?.message ?? ''})`;
}
