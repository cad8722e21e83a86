import { open } from 'node:fs/promises';

const CHUNK_BYTES = 256 * 1024;
const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const BOM = 0xfeff;

/** Lines count from 1; `endOffset` is the place in the file, in bytes, after the line and its break. */
export type Line = TextLine | OverlongLine;

export interface TextLine {
  readonly number: number;
  /** Without its line break, and without a byte order mark at the start of the file. */
  readonly text: string;
  readonly endOffset: number;
  /** False for a last line that has no line break. */
  readonly complete: boolean;
  readonly tooLong?: never;
}

/** A line that was passed over because it would take too much memory. */
export interface OverlongLine {
  readonly number: number;
  readonly tooLong: true;
  readonly lengthBytes: number;
  readonly endOffset: number;
}

export interface ReadLinesOptions {
  /** Longest line that is held in memory, in bytes up to its line feed. */
  readonly maxLineBytes?: number;
  readonly signal?: AbortSignal;
}

/** The lines of a UTF-8 file of any size, one at a time, in memory that depends only on the longest line. */
export async function* readLines(path: string, options: ReadLinesOptions = {}): AsyncGenerator<Line> {
  const { maxLineBytes = DEFAULT_MAX_LINE_BYTES, signal } = options;
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let begun: BegunLine = { number: 1, startOffset: 0, lengthBytes: 0, pieces: [] };
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      let start = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
        extend(begun, chunk.subarray(start, end), maxLineBytes);
        const line = finish(begun, true);
        yield line;
        begun = { number: line.number + 1, startOffset: line.endOffset, lengthBytes: 0, pieces: [] };
        start = end + 1;
      }
      // The buffer is used again for the next chunk, so what is kept has to be a copy.
      const rest = chunk.subarray(start);
      extend(begun, begun.pieces === undefined ? rest : Buffer.from(rest), maxLineBytes);
    }
    if (begun.lengthBytes > 0) yield finish(begun, false);
  } finally {
    await file.close();
  }
}

/** The part of a line that was read so far. Once it is too long, only its length is kept. */
interface BegunLine {
  readonly number: number;
  readonly startOffset: number;
  lengthBytes: number;
  pieces: Buffer[] | undefined;
}

function extend(line: BegunLine, piece: Buffer, maxLineBytes: number): void {
  line.lengthBytes += piece.length;
  if (line.lengthBytes > maxLineBytes) line.pieces = undefined;
  line.pieces?.push(piece);
}

function finish({ number, startOffset, lengthBytes, pieces }: BegunLine, complete: boolean): Line {
  const endOffset = startOffset + lengthBytes + (complete ? 1 : 0);
  if (pieces === undefined) return { number, tooLong: true, lengthBytes, endOffset };
  const [only] = pieces;
  const bytes = only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces);
  const crlf = complete && bytes.at(-1) === CR;
  const text = bytes.toString('utf8', 0, crlf ? lengthBytes - 1 : lengthBytes);
  return { number, text: number === 1 && text.charCodeAt(0) === BOM ? text.slice(1) : text, endOffset, complete };
}
