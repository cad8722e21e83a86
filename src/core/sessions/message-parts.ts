import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Content, NewMessage } from './message.ts';

/** Parts that look alike whichever agent wrote them. Images stay as the agent's provider shapes them. */
export function textPart(text: string): JsonObject {
  return { type: 'text', text };
}

export function thinkingPart(thinking: string): JsonObject {
  return { type: 'thinking', thinking };
}

/** What went wrong in the conversation itself: a refused request, a broken stream, an interruption. */
export function errorMessage(text: string, rest: Omit<NewMessage, 'role' | 'content'> = {}): NewMessage {
  return { role: 'system', content: [{ type: 'error', text }], ...rest };
}

/** The words with which the agent went on after it had shortened its context. */
export function compactionMessage(summary: string, rest: Omit<NewMessage, 'role' | 'content'> = {}): NewMessage {
  return { role: 'system', content: [{ type: 'compaction', text: summary }], ...rest };
}

/** Parts as content: text alone is plain text. */
export function contentOf(parts: readonly JsonObject[]): Content {
  const [only] = parts;
  if (only === undefined) return '';
  return parts.length === 1 && only['type'] === 'text' && typeof only['text'] === 'string' && isBareText(only)
    ? only['text']
    : parts;
}

function isBareText(part: JsonObject): boolean {
  let keys = 0;
  for (const _ in part) keys += 1;
  return keys === 2;
}

/** The line of the agent that a message comes from, as metadata. What the message itself holds is taken out of it first. */
export function ownLine(agent: string, line: JsonObject): JsonObject {
  return { agent, line };
}

/** Takes a value out of an object that was just parsed and that nobody else holds. What is undefined is not written again. */
export function takeOut(object: JsonObject | undefined, key: string): JsonValue | undefined {
  const value = object?.[key];
  if (value !== undefined) (object as Record<string, JsonValue | undefined>)[key] = undefined;
  return value;
}

/** Lenient reading of fields that other programs wrote: of another type is the same as missing. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A count of tokens; whatever is no sensible number is none. */
export function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** Money; whatever is no sensible number is none. */
export function moneyOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && value > 0 && value <= 1_000_000 ? value : 0;
}
