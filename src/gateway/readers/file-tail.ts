import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { createLineSplitter } from '../run/output/line-splitter.ts';

/** Reads a file that somebody else writes, as it grows, and only ever reads it. */
export interface FileTail {
  /** Lines that have ended since the last look; at the last one also what stands after them. */
  more(isLast: boolean): AsyncGenerator<Buffer>;
}

export interface TailOptions {
  /** Nothing outside this folder is opened, and no link below it is followed. */
  readonly root: string;
  /** Below the root. */
  readonly path: string;
  /** Where to begin. The first line is read in any case: it says whose file this is. */
  readonly fromBytes: number;
}

const PIECE_BYTES = 256 * 1024;
/** Longer lines hold files and pictures, not usage. One is kept at most, so a file of any size takes no more memory. */
const MOST_LINE_BYTES = 4 * 1024 * 1024;

export function createFileTail({ root, path, fromBytes }: TailOptions): FileTail {
  let splitter = createLineSplitter(MOST_LINE_BYTES);
  let at = 0;
  let inode: number | undefined;
  let isHead = fromBytes > 0;

  /** One that was cut short or replaced is read anew: what was counted of it is known by its name. */
  const begin = (stat: { readonly ino: number; readonly size: number }): void => {
    if (inode === stat.ino && stat.size >= at) return;
    if (inode !== undefined) isHead = false;
    inode = stat.ino;
    at = 0;
    splitter = createLineSplitter(MOST_LINE_BYTES);
  };
  /** The first line is over: on to where the run began. */
  const skip = (): void => {
    isHead = false;
    at = fromBytes;
    splitter = createLineSplitter(MOST_LINE_BYTES);
  };
  /** The lines that end in a piece; of the head only the first. */
  function* linesOf(piece: Buffer): Generator<Buffer> {
    for (const line of splitter.lines(piece)) {
      if (!line.cut) yield line.bytes;
      if (isHead) break;
    }
    if (isHead) skip();
  }
  async function* growth(handle: number): AsyncGenerator<Buffer> {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (let bytes = readSync(handle, piece, 0, PIECE_BYTES, at); bytes > 0; ) {
      at += bytes;
      yield* linesOf(piece.subarray(0, bytes));
      await setImmediate();
      bytes = readSync(handle, piece, 0, PIECE_BYTES, at);
    }
  }
  return {
    async *more(isLast) {
      const handle = openToRead(root, path);
      if (handle === undefined) return;
      try {
        begin(fstatSync(handle));
        yield* growth(handle);
        const rest = isLast ? splitter.rest() : undefined;
        if (rest !== undefined && !rest.cut) yield rest.bytes;
      } finally {
        closeSync(handle);
      }
    },
  };
}

/** Undefined when it is no file, or gone, or behind a link: then nothing of it is read. */
function openToRead(root: string, path: string): number | undefined {
  try {
    using folder = openBelow(root, join(root, dirname(path)));
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = folder && openSync(folder.at(basename(path)), flags);
    if (handle === undefined || fstatSync(handle).isFile()) return handle;
    closeSync(handle);
    return undefined;
  } catch {
    return undefined;
  }
}
