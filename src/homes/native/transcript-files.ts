import { ftruncateSync } from 'node:fs';
import { errorText } from '../../core/error-text.ts';
import type { Problem } from '../../core/problem.ts';
import type { Message } from '../../core/sessions/message.ts';
import type {
  TranscriptMark,
  TranscriptSink,
  TranscriptWrite,
  TranscriptWritten,
} from '../../core/sessions/transcript.ts';
import { writeAll } from '../../platform/files/write-all.ts';
import { mendTranscript } from './mend-transcript.ts';
import type { NativeLayout } from './native-layout.ts';
import { type TranscriptFile, TranscriptHandles } from './transcript-handles.ts';
import { headerLine, messageLine } from './transcript-lines.ts';

/**
 * Keeps `transcript.jsonl` of each session equal to its messages. The store's mark says how much of the file is known to be
 * good. A longer file holds what a crashed writer never acknowledged; a shorter or missing one is filled up from the store.
 * The database is the truth, so trouble with the copy is reported and never stops a message from being stored.
 */
export function createTranscriptFiles(
  layout: NativeLayout,
  wanted: (source: string) => boolean,
): TranscriptSink & Disposable {
  const handles = new TranscriptHandles(layout);
  return {
    write(request) {
      if (!wanted(request.session.source)) return { mark: request.mark, problems: [] };
      try {
        return writeTranscript(handles.open(request.session.id), request);
      } catch (error) {
        return { mark: request.mark, problems: [notWritten(request, error)] };
      }
    },
    [Symbol.dispose]: () => handles[Symbol.dispose](),
  };
}

function writeTranscript(file: TranscriptFile, request: TranscriptWrite): TranscriptWritten {
  const { mark, problems } = mendTranscript(file, request);
  const sizeBytes = writeLinesOrNone(file.handle, mark.sizeBytes, linesAfter(mark, request));
  return { mark: { seq: request.fresh.at(-1)?.seq ?? request.mark.seq, sizeBytes }, problems };
}

/** Nothing fresh means that the file is to hold what the store believes it holds already. */
function* linesAfter(good: TranscriptMark, { session, mark, fresh, stored }: TranscriptWrite): Generator<string> {
  if (good.sizeBytes === 0) yield headerLine(session);
  const last = (fresh[0]?.seq ?? mark.seq + 1) - 1;
  if (good.seq < last) yield* toLines(stored(good.seq + 1, last));
  yield* toLines(fresh);
}

function* toLines(messages: Iterable<Message>): Generator<string> {
  for (const message of messages) yield messageLine(message);
}

const CHUNK_CHARACTERS = 1 << 20;

/** The messages are stored even if this fails, so a part of them must not be taken for unacknowledged later. */
function writeLinesOrNone(handle: number, position: number, lines: Iterable<string>): number {
  try {
    return writeLines(handle, position, lines);
  } catch (error) {
    ftruncateSync(handle, position);
    throw error;
  }
}

function writeLines(handle: number, position: number, lines: Iterable<string>): number {
  let at = position;
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    at += writeAll(handle, Buffer.from(chunk), at);
    chunk = '';
  }
  return at + writeAll(handle, Buffer.from(chunk), at);
}

function notWritten({ session }: TranscriptWrite, error: unknown): Problem {
  const reason = errorText(error).replace(/\.$/, '');
  return {
    kind: 'transcript-not-written',
    subject: session.id,
    message: `The messages are stored, but the transcript of ${session.id} could not be written: ${reason}.`,
    hint: 'The transcript catches up with the next message once the cause is gone. Check with: coppice doctor',
  };
}
