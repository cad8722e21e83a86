import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { textOf } from '../../core/sessions/message-parts.ts';
import type { EpochMs } from '../../core/time.ts';
import { readSlice } from '../../platform/transcripts/read-slice.ts';
import { type ChatFold, foldChat } from './fold-chat.ts';

/** What a chat says of itself at its two ends, and what Gemini CLI makes of it when it starts. */
export interface ChatHead {
  /** There is something in it that Gemini CLI writes. */
  readonly isChat: boolean;
  /** The session that it is of. A chat whose first line was lost may not say so. */
  readonly id?: string;
  readonly kind?: string;
  /** When it was used last, as it says itself. */
  readonly lastUpdated?: EpochMs;
  /** Somebody said something in it. */
  readonly hasTalk: boolean;
  /** Gemini CLI lists it. What it does not list it deletes as soon as it starts. */
  readonly isListed: boolean;
}

/** Of a chat that is longer than both ends, what lies between is not looked at. */
const END_BYTES = 32 * 1024;

/** Looks at both ends of a chat. Fails where it cannot be read. */
export function readChat(path: string): ChatHead {
  const { text, sizeBytes } = readSlice(path, { bytes: 2 * END_BYTES });
  if (sizeBytes <= 2 * END_BYTES) return headOf(foldChat(linesOf(text)), documentIn(text));
  const fold = foldChat(linesOf(text.slice(0, text.lastIndexOf('\n') + 1)));
  const { text: end } = readSlice(path, { from: 'end', bytes: END_BYTES });
  fold.skip();
  for (const line of linesOf(end.slice(end.indexOf('\n') + 1))) fold.take(line);
  return headOf(fold, longDocumentIn(text, end));
}

function headOf(fold: ChatFold, document: ChatHead | undefined): ChatHead {
  const { id, projectHash, kind, lastUpdated, hasTalk, isChat } = fold.found();
  if ((id === undefined || projectHash === undefined) && document !== undefined) return document;
  return {
    isChat,
    ...(id !== undefined && { id }),
    ...(kind !== undefined && { kind }),
    ...(lastUpdated !== undefined && { lastUpdated }),
    hasTalk,
    isListed: id !== undefined && projectHash !== undefined && hasTalk && kind !== 'subagent',
  };
}

/** Earlier versions wrote one document, anew each time. */
function documentIn(text: string): ChatHead | undefined {
  const value = parse(text);
  const id = textOf(value?.['sessionId']);
  if (value === undefined || id === undefined) return undefined;
  const fold = foldChat([{ $set: value }]);
  const { kind, lastUpdated, hasTalk } = fold.found();
  return {
    isChat: true,
    id,
    ...(kind !== undefined && { kind }),
    ...(lastUpdated !== undefined && { lastUpdated }),
    hasTalk,
    isListed: hasTalk && kind !== 'subagent',
  };
}

/** The beginning of such a document tells whose it is, and its end that it is whole. Whoever said so much said something. */
function longDocumentIn(beginning: string, end: string): ChatHead | undefined {
  const field = (name: string) => new RegExp(`^\\s*\\{[^[]*?"${name}"\\s*:\\s*"([^"\\\\]*)"`).exec(beginning)?.[1];
  const id = field('sessionId');
  if (id === undefined || id === '' || !/"messages"\s*:/.test(beginning)) return undefined;
  const lastUpdated = readTime(field('lastUpdated') ?? null);
  const isWhole = end.trimEnd().endsWith('}');
  return { isChat: isWhole, id, ...(lastUpdated !== undefined && { lastUpdated }), hasTalk: true, isListed: isWhole };
}

function linesOf(text: string): JsonObject[] {
  return text
    .split('\n')
    .map(parse)
    .filter((line) => line !== undefined);
}

function parse(text: string): JsonObject | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
