import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import type { NewMessage, ToolCall } from '../../core/sessions/message.ts';
import {
  contentOf,
  objectOf,
  objectsOf,
  ownLine,
  textOf,
  textPart,
  thinkingPart,
} from '../../core/sessions/message-parts.ts';
import { parseJson } from '../../keeping/row-home/parse-object.ts';
import type { RowPage } from '../../keeping/row-home/row-agent.ts';
import type { GuestDatabase } from '../../platform/sqlite/guest-database.ts';

interface MessageRow {
  readonly id: number;
  readonly role: string | null;
  readonly content: string | null;
  readonly at: number | null;
}

const PAGE = 100;

/** What is said in a session of Goose from a message on. */
export function goosePage({ db }: GuestDatabase, id: string, after: string | undefined): RowPage {
  const rows = db
    .prepare<[string, number], MessageRow>(
      `SELECT id, role, content_json AS content, created_timestamp AS at FROM messages WHERE session_id = ? AND id > ?
       ORDER BY id LIMIT ${PAGE}`,
    )
    .all(id, after === undefined ? Number.MIN_SAFE_INTEGER : Number(after));
  const last = rows.at(-1);
  const pieces = rows.flatMap((row) => messagesOf(row).map((message) => ({ kind: 'message', message }) as const));
  return { pieces, ...(last !== undefined && rows.length === PAGE && { next: String(last.id) }) };
}

/** What somebody said, with the tools that were asked for, and what tools answered. */
function messagesOf({ role, content, at: told }: MessageRow): readonly NewMessage[] {
  const parts = listOf(content);
  const at = readTime(told);
  const rest = { ...(at !== undefined && { at }), metadata: ownLine('goose', { role, content: parts }) };
  const answers = parts.filter(({ type }) => type === 'toolResponse').map((part) => ({ ...answerOf(part), ...rest }));
  const spoken = parts.flatMap(spokenPart);
  const calls = parts.filter(({ type }) => type === 'toolRequest').map(callOf);
  if (spoken.length === 0 && calls.length === 0 && answers.length > 0) return answers;
  const message: NewMessage = {
    role: role === 'assistant' ? 'assistant' : role === 'user' ? 'user' : 'developer',
    content: contentOf(spoken),
    ...(calls.length > 0 && { toolCalls: calls }),
    ...rest,
  };
  return [message, ...answers];
}

function listOf(content: string | null): readonly JsonObject[] {
  const value = parseJson(content);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function spokenPart(part: JsonObject): JsonObject[] {
  const text = textOf(part['text']);
  if (part['type'] === 'text') return text === undefined ? [] : [textPart(text)];
  const thinking = textOf(part['thinking']);
  if (part['type'] === 'thinking') return thinking === undefined ? [] : [thinkingPart(thinking)];
  if (part['type'] !== 'image') return [];
  const [mime, data] = [textOf(part['mimeType']) ?? 'image/png', textOf(part['data']) ?? ''];
  return [{ type: 'image', image_url: `data:${mime};base64,${data}` }];
}

function callOf(part: JsonObject): ToolCall {
  const call = objectOf(objectOf(part['toolCall'])?.['value']);
  return {
    id: textOf(part['id']) ?? '',
    name: textOf(call?.['name']) ?? 'unknown',
    arguments: call?.['arguments'] ?? null,
  };
}

function answerOf(part: JsonObject): NewMessage {
  const result = objectOf(part['toolResult']);
  const value = result?.['value'];
  // Newer versions tell the parts together with whether it failed.
  const said = Array.isArray(value) ? objectsOf(value) : objectsOf(objectOf(value)?.['content']);
  const failed = result?.['status'] === 'error' || objectOf(value)?.['isError'] === true;
  const error = textOf(result?.['error']);
  const parts = error === undefined ? said.flatMap(spokenPart) : [textPart(error)];
  return {
    role: 'tool',
    content: contentOf(parts),
    toolCallId: textOf(part['id']) ?? '',
    ...(failed && { failed }),
  };
}
