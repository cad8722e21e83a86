import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, unlinkSync } from 'node:fs';
import type { Problem } from '../../core/problem.ts';
import type { TranscriptMark, TranscriptWrite, TranscriptWritten } from '../../core/sessions/transcript.ts';
import { errorCode } from '../../platform/error-code.ts';
import type { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { writeAll } from '../../platform/files/write-all.ts';
import type { TranscriptFile } from './transcript-handles.ts';
import { lineSeq } from './transcript-lines.ts';

/** Makes the file end exactly where its mark says, or moves the mark back to where the file is good. */
export function mendTranscript(file: TranscriptFile, { mark, session }: TranscriptWrite): TranscriptWritten {
  const { handle } = file;
  if (endsAt(handle, mark.sizeBytes)) return { mark, problems: [] };
  const { size } = fstatSync(handle);
  if (size > mark.sizeBytes) {
    const kept = setTailAside(file, { from: mark.sizeBytes, to: size });
    ftruncateSync(handle, mark.sizeBytes);
    const where = kept === undefined ? 'It was an incomplete line.' : `It is kept in ${kept}.`;
    return { mark, problems: [mended(session.id, `held what was never acknowledged. ${where}`)] };
  }
  const good = lastGoodLine(handle, size, mark.seq);
  ftruncateSync(handle, good.sizeBytes);
  return { mark: good, problems: [mended(session.id, 'had lost its end, which was written again.')] };
}

/**
 * Whether the file has exactly this size, by reading across its end. Asking for the size would be simpler, but a file whose
 * times were asked for gets exact ones with the next write, and that costs the file system's journal more than the write.
 */
function endsAt(handle: number, sizeBytes: number): boolean {
  const before = Math.min(1, sizeBytes);
  return readSync(handle, new Uint8Array(2), 0, before + 1, sizeBytes - before) === before;
}

/** Complete lines may be the last words of an agent that died, so they are kept beside the transcript. */
function setTailAside(file: TranscriptFile, range: { from: number; to: number }): string | undefined {
  using folder = file.openFolder();
  const aside = createAside(folder, range.from);
  let wholeLines = false;
  let copied = false;
  try {
    for (let at = range.from; at < range.to; at += TAIL_BYTES) {
      const piece = readRange(file.handle, at, Math.min(range.to, at + TAIL_BYTES));
      wholeLines ||= piece.includes(0x0a);
      writeAll(aside.handle, piece, at - range.from);
    }
    copied = true;
  } finally {
    closeSync(aside.handle);
    if (!copied || !wholeLines) unlinkSync(folder.at(aside.name));
  }
  return wholeLines ? aside.name : undefined;
}

function createAside(folder: DirectoryHandle, offset: number): { name: string; handle: number } {
  for (let copy = 1; ; copy += 1) {
    const name = `unacknowledged-${offset}-${copy}.jsonl`;
    try {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
      return { name, handle: openSync(folder.at(name), flags, 0o600) };
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
