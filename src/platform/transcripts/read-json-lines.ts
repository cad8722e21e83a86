import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { Problem } from '../../core/problem.ts';
import type { TranscriptBatches, TranscriptFacts, TranscriptPiece } from '../../core/sessions/transcript-format.ts';
import { type LineBatch, readLineBatches } from '../text/read-line-batches.ts';
import { beginWithWords } from './begin-with-words.ts';

/** A longer line is not read into memory. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Makes sense of the lines of one transcript, in order. */
export interface LineTranscript {
  /** Lines that begin so say nothing about the conversation. They are not even parsed. */
  skips?(line: string): boolean;
  /** What a line says. */
  read(line: JsonObject): readonly TranscriptPiece[];
  /** What is still held back after the last line. */
  rest?(): readonly TranscriptPiece[];
  /** What is known of the session by now. */
  facts(): TranscriptFacts;
}

/** Where lines come from: a file, or what a program makes of one. */
export type LineSource = AsyncIterable<LineBatch>;

export function linesOfFile(path: string, signal?: AbortSignal, from = 0): LineSource {
  return readLineBatches(path, { maxLineBytes: MAX_LINE_BYTES, signal, from });
}

/** What lines say that were added to a transcript. Numbers of lines in its problems count from the first of them. */
export async function* readAddedLines(path: string, source: LineSource, transcript: LineTranscript): TranscriptBatches {
  for await (const batch of source) yield { pieces: readBatch(path, batch, transcript), offset: batch.endOffset };
}

/**
 * Reads a transcript that is one session, one JSON object per line. A last line that is only half written is left for later.
 */
export async function* readJsonLines(path: string, source: LineSource, transcript: LineTranscript): TranscriptBatches {
  const session = beginWithWords(transcript);
  let offset = 0;
  for await (const batch of source) {
    offset = batch.endOffset;
    yield { pieces: session.say(readBatch(path, batch, transcript)), offset };
  }
  yield { pieces: session.end(transcript.rest?.() ?? []), offset };
}

function readBatch(path: string, batch: LineBatch, transcript: LineTranscript): TranscriptPiece[] {
  const pieces: TranscriptPiece[] = [];
  for (const [index, line] of batch.lines.entries()) {
    if (line !== undefined && (line === '' || transcript.skips?.(line) === true)) continue;
    const value = line === undefined ? undefined : parse(line);
    if (isJsonObject(value)) for (const piece of transcript.read(value)) pieces.push(piece);
    else if (line?.trim() !== '') {
      const number = batch.firstNumber + index;
      const torn = !batch.complete && line !== undefined && value === undefined;
      pieces.push({ kind: 'problem', problem: torn ? tornLine(path, number) : badLine(path, number, line) });
    }
  }
  return pieces;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function tornLine(path: string, number: number): Problem {
  return {
    kind: 'torn-line',
    subject: `${path}:${number}`,
    message: `Line ${number} of ${path} is only half written; it was left for later.`,
    hint: 'Import the file again when the agent is done with it.',
  };
}

function badLine(path: string, number: number, line: string | undefined): Problem {
  const what = line === undefined ? `is longer than ${MAX_LINE_BYTES} bytes and was left out` : 'is not a JSON object';
  const kind = line === undefined ? 'line-too-long' : 'unreadable-line';
  return { kind, subject: `${path}:${number}`, message: `Line ${number} of ${path} ${what}.` };
}
