import type { JsonObject } from '../../core/json.ts';
import {
  type Content,
  contentText,
  type Message,
  type Role,
  type ToolCall,
  toolCallsText,
} from '../../core/sessions/message.ts';

/** The columns that hold one message. */
export interface MessageRow {
  readonly seq: number;
  readonly role: Role;
  readonly at: number;
  readonly text: string;
  readonly extra: string | null;
}

export const MESSAGE_COLUMNS = 'seq, role, at, text, extra';

/** What `text` alone cannot give back. The plain case, a message that is only text, needs none of it. */
interface Extra {
  /** Content that is not plain text, or that a database would not keep exactly. */
  content?: Content;
  /** Where plain content ends in `text`, when the words of tool calls follow it. */
  contentLength?: number;
  toolCalls?: readonly ToolCall[];
  toolCallId?: string;
  name?: string;
  failed?: boolean;
  model?: string;
  metadata?: JsonObject;
}

/** Encodes a message so that decoding gives it back exactly, lone surrogates and NULs included. */
export function encodeMessage(message: Message): MessageRow {
  const { seq, role, at, content } = message;
  const calls = toolCallsText(message.toolCalls);
  const words = contentText(content);
  const text = calls === '' ? words : `${words}\n${calls}`;
  const extra = extraFields(message);
  if (typeof content !== 'string' || !storable(content)) extra.content = content;
  else if (calls !== '') extra.contentLength = content.length;
  return { seq, role, at, text: searchable(text), extra: isEmpty(extra) ? null : JSON.stringify(extra) };
}

export function decodeMessage(row: MessageRow): Message {
  const { seq, role, at, text } = row;
  if (row.extra === null) return { seq, role, at, content: text };
  const { content, contentLength, ...rest } = JSON.parse(row.extra) as Extra;
  return { seq, role, at, content: content ?? text.slice(0, contentLength), ...rest };
}

/** The bytes a message takes in the database, indexes aside. */
export function rowBytes(row: MessageRow): number {
  return Buffer.byteLength(row.text) + (row.extra === null ? 0 : Buffer.byteLength(row.extra));
}

/** Text of a database is UTF-8, which has no half pairs. PostgreSQL has no NUL in it, and the functions of SQLite stop there. */
function storable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function searchable(text: string): string {
  return storable(text) ? text : text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Everything but what has a column. JSON leaves out what is undefined; an object of nothing else must count as empty. */
function extraFields({ seq: _seq, role: _role, at: _at, content: _content, ...rest }: Message): Extra {
  for (const [name, value] of Object.entries(rest)) if (value === undefined) Reflect.deleteProperty(rest, name);
  return rest;
}

function isEmpty(fields: object): boolean {
  for (const _ in fields) return false;
  return true;
}
