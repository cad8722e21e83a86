import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isJsonObject } from '../../core/json.ts';
import type { TranscriptFacts } from '../../core/sessions/transcript-format.ts';
import type { EpochMs } from '../../core/time.ts';
import type { LineTranscript } from './read-json-lines.ts';

/** What the beginning and the end of a transcript tell. Of a short one it is everything. */
export interface LinesDescribed extends TranscriptFacts {
  /** How many messages there are; only where all of it was read. */
  readonly messageCount?: number;
}

/** The first prompt of most sessions is in the first of these; where it is not, the last of them is looked through. */
const HEADS_BYTES = [64 * 1024, 1024 * 1024];
const TAIL_BYTES = 64 * 1024;

/**
 * Describes a transcript of lines by its beginning and its end, however long it is: who made it and what was asked first stand at the
 * one, a name that it was given and when it was last used at the other. `open` begins to make sense of lines.
 */
export async function describeLines(path: string, begin: () => LineTranscript): Promise<LinesDescribed> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const { size, mtimeMs } = await file.stat();
  for (const headBytes of HEADS_BYTES) {
    if (size <= headBytes + TAIL_BYTES) return describeWhole(await readText(file, 0, size), begin());
    const transcript = begin();
    const head = await readText(file, 0, headBytes);
    say(head.slice(0, head.lastIndexOf('\n') + 1), transcript);
    if (transcript.facts().title === undefined && headBytes !== HEADS_BYTES.at(-1)) continue;
    const { lastActiveAt: begunAt } = transcript.facts();
    const tail = await readText(file, size - TAIL_BYTES, TAIL_BYTES);
    say(tail.slice(tail.indexOf('\n') + 1), transcript);
    const facts = transcript.facts();
    // Where the end tells no time, as in the middle of an image, it would count as old as its beginning.
    return facts.lastActiveAt === begunAt ? { ...facts, lastActiveAt: Math.floor(mtimeMs) } : facts;
  }
  return begin().facts();
}

/**
 * The same of what can only be read from its start, such as what was compressed: `text` is its beginning, or all of it. When it was last
 * used is then known by when its file was written.
 */
export function describeBeginning(
  text: string,
  transcript: LineTranscript,
  { isAll, changedAt }: { readonly isAll: boolean; readonly changedAt: EpochMs },
): LinesDescribed {
  if (isAll) return describeWhole(text, transcript);
  say(text.slice(0, text.lastIndexOf('\n') + 1), transcript);
  return { ...transcript.facts(), lastActiveAt: changedAt };
}

function describeWhole(text: string, transcript: LineTranscript): LinesDescribed {
  const { messages, said } = say(text, transcript);
  // What a program told a model to which nobody then said anything is no conversation.
  return { ...transcript.facts(), messageCount: said ? messages : 0 };
}

/** Lines that are no whole objects say nothing here: whoever reads all of it tells of them. */
function say(text: string, transcript: LineTranscript): { readonly messages: number; readonly said: boolean } {
  let messages = 0;
  let said = false;
  for (const line of text.split('\n')) {
    const value = transcript.skips?.(line) === true ? undefined : parse(line);
    if (!isJsonObject(value)) continue;
    for (const piece of transcript.read(value)) {
      if (piece.kind !== 'message') continue;
      messages += 1;
      said ||= piece.message.role !== 'developer' && piece.message.role !== 'system';
    }
  }
  for (const piece of transcript.rest?.() ?? []) if (piece.kind === 'message') messages += 1;
  return { messages, said };
}

function parse(line: string): unknown {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function readText(file: FileHandle, position: number, length: number): Promise<string> {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, position + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.toString('utf8', 0, read).replace(/^\uFEFF/, '');
}
