import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { objectOf, textOf } from '../../core/sessions/message-parts.ts';
import { readSlice } from '../../platform/transcripts/read-slice.ts';

/** What the first lines of a transcript say about its relations. */
export interface ClaudeHead {
  /** It begins as Claude Code writes its files. */
  readonly isTranscript: boolean;
  /** The session that is named first, which may be another one than the file is called by. */
  readonly sessionId?: string;
  /** The session in which the beginning of this subagent is told. Without that one it has none. */
  readonly needs?: string;
  /** The session that this one says it was copied from. */
  readonly copyOf?: string;
  /** The id of the first prompt. A copy has the same one. */
  readonly firstPrompt?: string;
  /** Of the program that wrote it. */
  readonly majorVersion?: number;
  /** What stands before the first prompt is younger than that, so the file began as a copy of another. */
  readonly beganAsCopy: boolean;
}

/** Enough for the first lines, and little enough to look at thousands of files. */
const HEAD_BYTES = 8 * 1024;

/** Looks at the beginning of a transcript. Fails where it cannot be read. */
export function readHead(path: string): ClaudeHead {
  const { text, sizeBytes } = readSlice(path, { bytes: HEAD_BYTES });
  const lines = text.split('\n');
  // The last one is cut off, or half written.
  const rest = lines.pop() ?? '';
  const objects = lines.map(parse);
  const whole = objects.filter((line) => line !== undefined);
  return { isTranscript: isTranscript(objects, { rest, isAll: sizeBytes <= HEAD_BYTES }), ...relationsOf(whole) };
}

/** A line further down may be broken: the program itself leaves one where it was ended in the middle, and goes on after it. */
function isTranscript(
  lines: readonly (JsonObject | undefined)[],
  { rest, isAll }: { readonly rest: string; readonly isAll: boolean },
): boolean {
  if (lines.some(isWritten)) return true;
  // An empty file says nothing wrong; a line that is longer than what was read begins like all of them.
  if (lines.length === 0 && rest === '') return true;
  return isAll ? isWritten(parse(rest)) : rest.startsWith('{"');
}

function isWritten(line: JsonObject | undefined): boolean {
  return textOf(line?.['type']) !== undefined;
}

function relationsOf(lines: readonly JsonObject[]): Omit<ClaudeHead, 'isTranscript'> {
  const reference = lines.find(({ type }) => type === 'fork-context-ref');
  const prompt = lines.find(({ type, parentUuid }) => type === 'user' && parentUuid === null);
  const sessionId = firstText(lines, 'sessionId') ?? firstText(lines, 'parentSessionId');
  const needs = textOf(reference?.['parentSessionId']);
  const copyOf = lines.map((line) => textOf(objectOf(line['forkedFrom'])?.['sessionId'])).find(Boolean);
  const firstPrompt = textOf(prompt?.['uuid']);
  const majorVersion = Number.parseInt(firstText(lines, 'version') ?? '', 10);
  return {
    ...(sessionId !== undefined && { sessionId }),
    ...(needs !== undefined && { needs }),
    ...(copyOf !== undefined && { copyOf }),
    ...(firstPrompt !== undefined && { firstPrompt }),
    ...(Number.isInteger(majorVersion) && { majorVersion }),
    beganAsCopy: prompt !== undefined && isYounger(lines.slice(0, lines.indexOf(prompt)), prompt),
  };
}

function isYounger(before: readonly JsonObject[], prompt: JsonObject): boolean {
  const asked = readTime(prompt['timestamp'] ?? null) ?? Number.POSITIVE_INFINITY;
  return before.some(({ type, timestamp }) => {
    return type === 'queue-operation' && (readTime(timestamp ?? null) ?? 0) > asked;
  });
}

function firstText(lines: readonly JsonObject[], key: string): string | undefined {
  return lines.map((line) => textOf(line[key])).find((value) => value !== undefined);
}

function parse(line: string): JsonObject | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
