import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { EpochMs } from '../time.ts';

export const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const;
export type Role = (typeof ROLES)[number];

/** A tool the assistant asked for. `arguments` is whatever the model sent, parsed or not. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

/** Plain text, or the parts of structured and multimodal content exactly as the agent's provider shapes them. */
export type Content = string | readonly JsonObject[];

/** A message as the caller gives it. `at` defaults to now. */
export interface NewMessage {
  readonly role: Role;
  readonly content: Content;
  readonly at?: EpochMs;
  /** Tools that an assistant message asks for. */
  readonly toolCalls?: readonly ToolCall[];
  /** For a `tool` message: the call it answers. */
  readonly toolCallId?: string;
  /** For a `tool` message: the tool's name. */
  readonly name?: string;
  /** For a `tool` message: true when the tool failed. */
  readonly failed?: boolean;
  readonly model?: string;
  /** Anything else worth keeping; stored exactly and returned unchanged. */
  readonly metadata?: JsonObject;
}

/** A stored message. `seq` counts from 1 within its session and never changes. */
export interface Message extends NewMessage {
  readonly seq: number;
  readonly at: EpochMs;
  /** Taken back: hidden unless asked for. */
  readonly rewound?: true;
}

/** What a supervised agent prints is kept among its messages, but nobody said it: it is told apart by its name. */
export const OUTPUT_STREAMS = ['stdout', 'stderr'] as const;
export type OutputStream = (typeof OUTPUT_STREAMS)[number];

export function outputMessage(stream: OutputStream, text: string): NewMessage {
  return { role: 'tool', name: stream, content: text };
}

/** Whether it is recorded output. The answer of a tool that bears such a name belongs to a call. */
export function isOutput({ role, name, toolCallId }: NewMessage): boolean {
  return role === 'tool' && toolCallId === undefined && OUTPUT_STREAMS.some((stream) => stream === name);
}

/** How much a message says. */
export function contentBytes({ content }: Pick<NewMessage, 'content'>): number {
  return Buffer.byteLength(typeof content === 'string' ? content : JSON.stringify(content));
}

/** The words of a content, for search and previews: text of all parts, without images and other data. */
export function contentText(content: Content): string {
  return typeof content === 'string' ? content : partsText(content, 0);
}

/** The words of tool calls, for search: each tool's name and what it was given. */
export function toolCallsText(calls: readonly ToolCall[] | undefined): string {
  return (calls ?? []).map((call) => `${call.name} ${argumentsText(call.arguments)}`.trim()).join('\n');
}

/** Nesting in content is a handful deep in practice; a limit keeps hostile input from exhausting the stack. */
const MAX_PART_DEPTH = 8;

function partsText(parts: readonly JsonValue[], depth: number): string {
  return parts
    .map((part) => partText(part, depth))
    .filter((text) => text !== '')
    .join('\n');
}

function partText(part: JsonValue, depth: number): string {
  if (typeof part === 'string') return part;
  if (!isJsonObject(part) || depth > MAX_PART_DEPTH) return '';
  for (const key of ['text', 'thinking', 'refusal', 'output']) {
    const value = part[key];
    if (typeof value === 'string') return value;
  }
  const called = callOf(part);
  if (called !== undefined) return `${called.name} ${argumentsText(called.arguments)}`;
  const inner = part['content'];
  if (typeof inner === 'string') return inner;
  return Array.isArray(inner) ? partsText(inner, depth + 1) : '';
}

/** The tool that a part asks for, where a provider puts the call among the words: `input`, or `arguments` under its name. */
export function callOf(part: JsonObject): Pick<ToolCall, 'name' | 'arguments'> | undefined {
  const { name, input, arguments: given = input } = part;
  return typeof name === 'string' && given !== undefined ? { name, arguments: given } : undefined;
}

function argumentsText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
