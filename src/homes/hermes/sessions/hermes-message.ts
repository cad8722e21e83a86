import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json.ts';
import { type Content, type Message, ROLES, type ToolCall } from '../../../core/sessions/message.ts';
import type { EpochMs } from '../../../core/time.ts';

/** A row of `messages` with all of its columns, whichever this home has. */
export type RawMessage = Readonly<Record<string, unknown>>;

/** A row as a message. What has no place of its own, such as reasoning, stands in `metadata` under the name Hermes gives it. */
export function hermesMessage(row: RawMessage, seq: number, unknownAt: EpochMs): Message {
  const { content, tool_call_id: toolCallId, tool_name: name, timestamp } = row;
  const role = ROLES.find((known) => known === row['role']);
  const toolCalls = readToolCalls(row['tool_calls']);
  const metadata = metadataOf(row, [...(role === undefined ? ['role'] : []), ...(toolCalls ? [] : ['tool_calls'])]);
  return {
    seq,
    role: role ?? 'system',
    content: hermesContent(content),
    at: typeof timestamp === 'number' && timestamp > 0 ? Math.floor(timestamp * 1000) : unknownAt,
    ...(toolCalls !== undefined && toolCalls.length > 0 && { toolCalls }),
    ...(typeof toolCallId === 'string' && toolCallId !== '' && { toolCallId }),
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(isRewound(row) && { rewound: true }),
  };
}

/** Taken back by a person. What a compaction put aside was said all the same, so it stays part of the conversation. */
function isRewound({ active, compacted }: RawMessage): boolean {
  return active === 0 && compacted !== 1;
}

/** Text as it is; structured content begins with a mark. What cannot be understood is shown as it stands. */
export function hermesContent(stored: unknown): Content {
  if (typeof stored !== 'string') return '';
  if (!stored.startsWith(STRUCTURED)) return stored;
  const value = parseJson(stored.slice(STRUCTURED.length));
  if (typeof value === 'string') return value;
  if (isJsonObject(value)) return [value];
  if (!Array.isArray(value)) return stored;
  return value.map((part: JsonValue) => (isJsonObject(part) ? part : { type: 'text', text: textOf(part) }));
}

export const STRUCTURED = '\0json:';

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Undefined when it is not a list of calls, so that the caller keeps it as it is. */
function readToolCalls(stored: unknown): readonly ToolCall[] | undefined {
  if (stored === null || stored === undefined || stored === '') return [];
  const calls = typeof stored === 'string' ? parseJson(stored) : undefined;
  if (!Array.isArray(calls)) return undefined;
  const read = calls.map(readToolCall);
  return read.every((call) => call !== undefined) ? read : undefined;
}

function readToolCall(call: JsonValue): ToolCall | undefined {
  if (!isJsonObject(call)) return undefined;
  const { id, type: _, function: named, ...rest } = call;
  const { name, arguments: given = null } = isJsonObject(named) ? named : call;
  if (typeof name !== 'string') return undefined;
  return { ...rest, id: typeof id === 'string' ? id : '', name, arguments: given };
}

const MAPPED = new Set(['id', 'session_id', 'role', 'content', 'timestamp', 'tool_call_id', 'tool_calls', 'tool_name']);
/** What nearly every row says, and what therefore says nothing. */
const USUAL: JsonObject = { observed: 0, active: 1, compacted: 0 };

function metadataOf(row: RawMessage, unmapped: readonly string[]): JsonObject {
  const kept = Object.entries(row).flatMap(([name, value]): [string, JsonValue][] => {
    if (MAPPED.has(name) && !unmapped.includes(name)) return [];
    if (value === null || value === '' || value === USUAL[name]) return [];
    if (typeof value === 'string' || typeof value === 'number') return [[name, value]];
    return Buffer.isBuffer(value) ? [[name, value.toString('base64')]] : [];
  });
  return Object.fromEntries(kept);
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
