import { closeSync, constants, createReadStream, readSync } from 'node:fs';
import { Decompress } from 'fzstd';
import { Failure } from '../../core/failure.ts';
import { openRegular } from '../files/open-regular.ts';
import { type LineBatch, lineBatches } from '../text/read-line-batches.ts';
import { MAX_LINE_BYTES } from './read-json-lines.ts';

/** The lines of a file that was compressed with zstd. Fails where it is cut off or damaged. */
export async function* linesOfZstd(path: string, signal?: AbortSignal): AsyncGenerator<LineBatch> {
  yield* lineBatches(unpacked(path), { maxLineBytes: MAX_LINE_BYTES, signal });
}

/**
 * The beginning of what was compressed, at least so many bytes where there are as many and at most one block of the format more. Fails
 * where it is damaged so far.
 */
export function readZstdBeginning(path: string, bytes: number): Buffer {
  const handle = openRegular(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const unpack = unpacking(path);
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const found: Buffer[] = [];
    for (let [sum, ended] = [0, false]; sum < bytes && !ended; ) {
      const read = readSync(handle, chunk);
      ended = read === 0;
      for (const piece of unpack(chunk.subarray(0, read), ended)) {
        found.push(piece);
        sum += piece.length;
      }
    }
    return Buffer.concat(found);
  } finally {
    closeSync(handle);
  }
}

const CHUNK_BYTES = 32 * 1024;

async function* unpacked(path: string): AsyncGenerator<Buffer> {
  const unpack = unpacking(path);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }))
    yield* unpack(chunk as Buffer, false);
  yield* unpack(Buffer.alloc(0), true);
}

/** Takes bytes as they come and gives what they were before they were compressed. */
function unpacking(path: string): (chunk: Buffer, last: boolean) => Buffer[] {
  let found: Buffer[] = [];
  // What it gives it may use again, so it is copied.
  const stream = new Decompress((data) => void found.push(Buffer.from(data)));
  return (chunk, last) => {
    found = [];
    try {
      // It keeps what it is given until it has a whole block.
      stream.push(Uint8Array.from(chunk), last);
    } catch (cause) {
      throw new Failure(
        'failed',
        `${path} is compressed with zstd and could not be unpacked: it is cut off or damaged.`,
        {
          hint: 'Nothing was changed. What is left of it may still come out with: zstd -dc',
          cause,
        },
      );
    }
    return found;
  };
}
