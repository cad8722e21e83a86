import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { Failure } from '../../core/failure.ts';
import { type LineBatch, lineBatches } from '../files/read-line-batches.ts';
import { MAX_LINE_BYTES } from './read-json-lines.ts';

/** Newer versions of Node know the format. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => NodeJS.ReadWriteStream };

/** The lines of a file that was compressed with zstd, which Node itself reads from 22.15 on, and otherwise the program of that name. */
export async function* linesOfZstd(path: string, signal?: AbortSignal): AsyncGenerator<LineBatch> {
  const unpacked =
    createZstdDecompress === undefined ? unpackByProgram(path) : unpackHere(path, createZstdDecompress());
  try {
    yield* lineBatches(unpacked.stream, { maxLineBytes: MAX_LINE_BYTES, signal });
    await unpacked.ended;
  } finally {
    unpacked.stream.destroy();
    await unpacked.ended.catch(() => undefined);
  }
}

interface Unpacked {
  readonly stream: Readable;
  /** Fails when the file could not be unpacked to its end. */
  readonly ended: Promise<unknown>;
}

function unpackHere(path: string, unpack: NodeJS.ReadWriteStream): Unpacked {
  const stream = new PassThrough();
  const ended = pipeline(createReadStream(path), unpack, stream);
  // Whoever reads is told by the stream; this promise is looked at when the lines are at their end.
  ended.catch(() => undefined);
  return { stream, ended };
}

function unpackByProgram(path: string): Unpacked {
  const child = spawn('zstd', ['-dc', '--', path], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', () => reject(cannotUnpack(path)));
    child.once('close', (code) => (code === 0 ? resolve() : reject(cannotUnpack(path))));
  });
  ended.catch(() => undefined);
  return { stream: child.stdout, ended };
}

function cannotUnpack(path: string): Failure {
  return new Failure('failed', `${path} is compressed with zstd and could not be unpacked.`, {
    hint: 'Install zstd or Node 22.15, or unpack the file with: zstd -d',
  });
}
