import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';

/**
 * The lines of a file that sessions share: each names its session. They are handled byte for byte, also what no agent wrote. A text here
 * has one character for each byte.
 */
export type SharedLines = readonly string[];

/** What the members of such a line are called. */
export interface LineKeys {
  /** The session that it is of. */
  readonly owner: string;
  /** When it was written. */
  readonly time: string;
}

export function linesOf(content: Buffer): SharedLines {
  return content.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

export function contentOf(lines: SharedLines): Buffer {
  return Buffer.from(lines.join(''), 'latin1');
}

/** Whether an id stands anywhere in a file. Mostly it does not, and then there is nothing to be taken apart. */
export function names(content: Buffer, id: string): boolean {
  return content.includes(nameOf(id));
}

/** What there is of a session, as text from which its lines find back to where they were; undefined where there is nothing. */
export function copyLines(lines: SharedLines, id: string, { owner }: LineKeys): string | undefined {
  const isOwn = isOf(id, owner);
  if (!lines.some(isOwn)) return undefined;
  const marks = lines.map(markOf);
  const kept = lines.flatMap((line, at): KeptLine[] => {
    if (!isOwn(line)) return [];
    const before = marks.slice(Math.max(0, at - NEIGHBOURS), at).toReversed();
    return [{ ...packed(line), before, after: marks.slice(at + 1, at + 1 + NEIGHBOURS) }];
  });
  return `${JSON.stringify({ version: 1, lines: kept })}\n`;
}

/** Takes out the lines of a copy, each once. What the session has said since then is not in it, and stays. */
export function withoutCopy(lines: SharedLines, copy: string): SharedLines {
  const gone = countAll(keptIn(copy).map(unpacked));
  return lines.filter((line) => {
    const left = gone.get(terminated(line)) ?? 0;
    gone.set(terminated(line), left - 1);
    return left <= 0;
  });
}

/** Puts lines back where they were, as far as they are not there. What was written since then stays, and stays in its order. */
export function withCopy(lines: SharedLines, copy: string, { time }: LineKeys): SharedLines {
  const result = { lines: [...lines], marks: lines.map(markOf) };
  const there = countAll(lines);
  for (const kept of keptIn(copy)) {
    const line = unpacked(kept);
    const left = there.get(terminated(line)) ?? 0;
    if (left > 0) there.set(terminated(line), left - 1);
    else insert(result, line, { ...kept, timeKey: time });
  }
  return result.lines;
}

/** A line that was taken out, and marks of those beside it, the nearest first. */
interface KeptLine {
  readonly text?: string;
  /** In place of the text where the line is not valid UTF-8. */
  readonly base64?: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Those beside a line may have been taken out as well, so that there are several of them. */
const NEIGHBOURS = 8;

interface MarkedLines {
  readonly lines: string[];
  readonly marks: string[];
}

function insert(
  { lines, marks }: MarkedLines,
  line: string,
  { before, after, timeKey }: KeptLine & { readonly timeKey: string },
): void {
  const last = lines.at(-1);
  // Nothing can stand after a line that somebody is still writing.
  const end = last === undefined || last.endsWith('\n') ? lines.length : lines.length - 1;
  const previous = before.map((mark) => marks.lastIndexOf(mark)).find((at) => at !== -1 && at < end) ?? -1;
  const next = after.map((mark) => marks.indexOf(mark, previous + 1)).find((at) => at !== -1) ?? end;
  const time = timeOf(line, timeKey);
  const later = lines.findIndex((each, at) => at > previous && at < next && timeOf(each, timeKey) > time);
  const at = later === -1 ? next : later;
  marks.splice(at, 0, markOf(line));
  lines.splice(at, 0, at === lines.length ? line : terminated(line));
}

function countAll(lines: SharedLines): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(terminated(line), (counts.get(terminated(line)) ?? 0) + 1);
  return counts;
}

function isOf(id: string, owner: string): (line: string) => boolean {
  const name = Buffer.from(nameOf(id)).toString('latin1');
  return (line) => line.includes(name) && parse(line)?.[owner] === id;
}

/** An id as it stands in a line. */
function nameOf(id: string): string {
  return JSON.stringify(id).slice(1, -1);
}

/** A line without a time stays where it is: nothing is later than it. */
function timeOf(line: string, key: string): number {
  return readTime(parse(line)?.[key] ?? null) ?? Number.NEGATIVE_INFINITY;
}

function parse(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(line, 'latin1').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function markOf(line: string): string {
  return hash('sha256', terminated(line)).slice(0, 12);
}

function terminated(line: string): string {
  return line.endsWith('\n') ? line : `${line}\n`;
}

function packed(line: string): Pick<KeptLine, 'text' | 'base64'> {
  const bytes = Buffer.from(line, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') };
}

function unpacked({ text, base64 = '' }: KeptLine): string {
  return (text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text)).toString('latin1');
}

function keptIn(copy: string): readonly KeptLine[] {
  // A copy is read by the version that wrote it or a later one; it lay in a trash that nobody else writes.
  return (JSON.parse(copy) as { readonly lines: readonly KeptLine[] }).lines;
}
