import type { Message } from '../../core/sessions/message.ts';
import type { TranscriptSession } from '../../core/sessions/transcript.ts';
import { readLines, type TextLine } from '../../platform/text/read-lines.ts';
import { headerLine, lineSeq, messageLine } from './transcript-lines.ts';

export interface ExpectedTranscript {
  readonly session: TranscriptSession;
  /** The stored messages from this number on. */
  readonly messages: (from: number) => AsyncIterable<Message>;
}

/**
 * Whether a file holds nothing but the beginning of its transcript, to the byte: whatever is written after that loses nothing.
 * A transcript whose first part was removed by the rules begins with a later message.
 */
export async function beginsTranscript(path: string, expected: ExpectedTranscript): Promise<boolean> {
  let lines: AsyncIterator<string> | undefined;
  for await (const line of readLines(path)) {
    if (!('text' in line)) return false;
    // The first line says nothing about where the messages begin; the second one does.
    if (line.number === 2) lines = messageLines(expected, lineSeq(line.text) ?? 1);
    const wanted = line.number === 1 ? headerLine(expected.session) : await next(lines);
    if (wanted === undefined || !isBeginning(line, wanted)) return false;
  }
  return true;
}

/** A line may be torn within a character, which then reads as a replacement. */
function isBeginning({ text, complete }: TextLine, wanted: string): boolean {
  return complete ? `${text}\n` === wanted : wanted.startsWith(text.replace(/\uFFFD+$/, ''));
}

async function* messageLines({ messages }: ExpectedTranscript, from: number): AsyncGenerator<string> {
  for await (const message of messages(from)) yield messageLine(message);
}

async function next(lines: AsyncIterator<string> | undefined): Promise<string | undefined> {
  const result = await lines?.next();
  return result?.done === false ? result.value : undefined;
}
