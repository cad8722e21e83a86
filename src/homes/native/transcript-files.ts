import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Message } from '../../core/message.ts';
import type { Problem } from '../../core/problem.ts';
import type { TranscriptMark, TranscriptSink, TranscriptWrite, TranscriptWritten } from '../../core/transcript.ts';
import { errorCode } from '../../platform/error-code.ts';
import { makePrivateDir } from '../../platform/private-files.ts';
import type { NativeLayout } from './native-layout.ts';
import { headerLine, lineSeq, messageLine } from './transcript-lines.ts';

/**
 * Keeps `transcript.jsonl` of each session equal to its messages. The store's mark says how much of the file is known to be
 * good. A longer file holds what a crashed writer never acknowledged; a shorter or missing one is filled up from the store.
 * The database is the truth, so trouble with the copy is reported and never stops a message from being stored.
 */
export function createTranscriptFiles(layout: NativeLayout, wanted: (source: string) => boolean): TranscriptSink {
  return {
    write(request) {
      if (!wanted(request.session.source)) return { mark: request.mark, problems: [] };
      try {
        return writeTranscript(layout.transcript(request.session.id), request);
      } catch (error) {
        return { mark: request.mark, problems: [notWritten(request, error)] };
      }
    },
  };
}

function writeTranscript(path: string, request: TranscriptWrite): TranscriptWritten {
  const handle = openTranscript(path);
  try {
    const { mark, problems } = mend(handle, path, request);
    const sizeBytes = writeLinesOrNone(handle, mark.sizeBytes, linesAfter(mark, request));
    return { mark: { seq: request.fresh.at(-1)?.seq ?? mark.seq, sizeBytes }, problems };
  } finally {
    closeSync(handle);
  }
}

const OPEN_FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;

function openTranscript(path: string): number {
  try {
    return openSync(path, OPEN_FLAGS & ~constants.O_CREAT);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  makePrivateDir(dirname(path));
  const handle = openSync(path, OPEN_FLAGS, 0o600);
  fchmodSync(handle, 0o600);
  return handle;
}

/** Makes the file end exactly where its mark says, or moves the mark back to where the file is good. */
function mend(handle: number, path: string, { mark, session }: TranscriptWrite): TranscriptWritten {
  const { size } = fstatSync(handle);
  if (size === mark.sizeBytes) return { mark, problems: [] };
  if (size > mark.sizeBytes) {
    const kept = setTailAside(handle, path, { from: mark.sizeBytes, to: size });
    ftruncateSync(handle, mark.sizeBytes);
    const where = kept === undefined ? 'It was an incomplete line.' : `It is kept in ${kept}.`;
    return { mark, problems: [mended(session.id, `held what was never acknowledged. ${where}`)] };
  }
  const good = lastGoodLine(handle, size, mark.seq);
  ftruncateSync(handle, good.sizeBytes);
  return { mark: good, problems: [mended(session.id, 'had lost its end, which was written again.')] };
}

/** Complete lines may be the last words of an agent that died, so they are kept beside the transcript. */
function setTailAside(handle: number, path: string, range: { from: number; to: number }): string | undefined {
  const aside = createAside(path, range.from);
  let wholeLines = false;
  let copied = false;
  try {
    for (let at = range.from; at < range.to; at += TAIL_BYTES) {
      const piece = readRange(handle, at, Math.min(range.to, at + TAIL_BYTES));
      wholeLines ||= piece.includes(0x0a);
      writeAll(aside.handle, piece, at - range.from);
    }
    copied = true;
  } finally {
    closeSync(aside.handle);
    if (!copied || !wholeLines) unlinkSync(join(dirname(path), aside.name));
  }
  return wholeLines ? aside.name : undefined;
}

function createAside(path: string, offset: number): { name: string; handle: number } {
  for (let copy = 1; ; copy += 1) {
    const name = `unacknowledged-${offset}-${copy}.jsonl`;
    try {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
      return { name, handle: openSync(join(dirname(path), name), flags, 0o600) };
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

const TAIL_BYTES = 1 << 20;

/** The last line that is whole and ours. When the end of the file has none, the file is written anew from the start. */
function lastGoodLine(handle: number, size: number, lastSeq: number): TranscriptMark {
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = readRange(handle, start, size);
  for (let end = tail.lastIndexOf(0x0a); end !== -1; ) {
    const before = end === 0 ? -1 : tail.lastIndexOf(0x0a, end - 1);
    if (before === -1 && start > 0) break;
    const seq = lineSeq(tail.toString('utf8', before + 1, end));
    if (seq !== undefined && seq <= lastSeq) return { seq, sizeBytes: start + end + 1 };
    end = before;
  }
  return { seq: 0, sizeBytes: 0 };
}

function* linesAfter(mark: TranscriptMark, { session, fresh, stored }: TranscriptWrite): Generator<string> {
  if (mark.sizeBytes === 0) yield headerLine(session);
  const firstFresh = fresh[0]?.seq ?? 0;
  if (mark.seq + 1 < firstFresh) yield* toLines(stored(mark.seq + 1, firstFresh - 1));
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

function writeAll(handle: number, data: Uint8Array, position: number): number {
  for (let done = 0; done < data.length; ) done += writeSync(handle, data, done, data.length - done, position + done);
  return data.length;
}

function readRange(handle: number, from: number, to: number): Buffer {
  const buffer = Buffer.alloc(to - from);
  let done = 0;
  for (let read = -1; read !== 0 && done < buffer.length; done += read) {
    read = readSync(handle, buffer, done, buffer.length - done, from + done);
  }
  return buffer.subarray(0, done);
}

function mended(id: string, what: string): Problem {
  return { kind: 'transcript-mended', subject: id, message: `The transcript of ${id} ${what}` };
}

function notWritten({ session }: TranscriptWrite, error: unknown): Problem {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    kind: 'transcript-not-written',
    subject: session.id,
    message: `The messages are stored, but the transcript of ${session.id} could not be written: ${reason}.`,
    hint: 'The transcript catches up with the next message once the cause is gone. Check with: coppice doctor',
  };
}
