import { open } from 'node:fs/promises';

const CHUNK_BYTES = 64 * 1024;
const LF = 0x0a;
const BOM = 0xfeff;

/** The lines that one look at the disk gave, in order. */
export interface LineBatch {
  /** Without their line breaks. One that is longer than allowed is undefined. */
  readonly lines: readonly (string | undefined)[];
  /** The number of the first line, counted from 1. */
  readonly firstNumber: number;
  /** The place in the file after the last line. */
  readonly endOffset: number;
  /** False when the last line of all has no line break. */
  readonly complete: boolean;
}

export interface BatchOptions {
  readonly maxLineBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Where to begin: right after a line break. */
  readonly from?: number;
}

/** The lines of a UTF-8 file of any size, many at a time, in memory that depends only on the longest line. */
export function readLineBatches(path: string, options: BatchOptions): AsyncGenerator<LineBatch> {
  return lineBatches(chunksOf(path, options.from ?? 0), options);
}

async function* chunksOf(path: string, from: number): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = from; ; ) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The same for whatever gives bytes. A chunk may be used again once the next one is asked for. */
export async function* lineBatches(
  chunks: AsyncIterable<Buffer>,
  { maxLineBytes, signal, from = 0 }: BatchOptions,
): AsyncGenerator<LineBatch> {
  let firstNumber = 1;
  let offset = from;
  let begun: Begun = { bytes: 0, pieces: [] };
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    const end = chunk.lastIndexOf(LF) + 1;
    if (end > 0) {
      const lines = linesOf(begun, chunk.subarray(0, end), maxLineBytes);
      if (offset === 0) lines[0] = withoutMark(lines[0]);
      offset += begun.bytes + end;
      yield { lines, firstNumber, endOffset: offset, complete: true };
      firstNumber += lines.length;
      begun = { bytes: 0, pieces: [] };
    }
    keep(begun, chunk.subarray(end), maxLineBytes);
  }
  if (begun.bytes === 0) return;
  const text = begun.pieces && withoutCr(Buffer.concat(begun.pieces).toString('utf8'));
  const line = offset === 0 ? withoutMark(text) : text;
  yield { lines: [line], firstNumber, endOffset: offset + begun.bytes, complete: false };
}

/** The beginning of a line whose end was not read yet. Once it is too long, only its length is kept. */
interface Begun {
  bytes: number;
  pieces: Buffer[] | undefined;
}

function keep(begun: Begun, piece: Buffer, maxLineBytes: number): void {
  begun.bytes += piece.length;
  if (begun.bytes > maxLineBytes) begun.pieces = undefined;
  // The buffer is used again for the next chunk, so what is kept has to be a copy.
  else if (piece.length > 0) begun.pieces?.push(Buffer.from(piece));
}

/** Whole lines. They are made into text together, which is several times as fast as one by one. */
function linesOf(begun: Begun, whole: Buffer, maxLineBytes: number): (string | undefined)[] {
  const tooLong = begun.pieces === undefined || begun.bytes + whole.indexOf(LF) > maxLineBytes;
  const bytes = begun.bytes === 0 || tooLong ? whole : Buffer.concat([...(begun.pieces ?? []), whole]);
  const lines: (string | undefined)[] = bytes
    .toString('utf8', 0, bytes.length - 1)
    .split('\n')
    .map(withoutCr);
  if (tooLong) lines[0] = undefined;
  return lines;
}

function withoutCr(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function withoutMark(line: string | undefined): string | undefined {
  return line?.charCodeAt(0) === BOM ? line.slice(1) : line;
}
