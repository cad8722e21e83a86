import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { Failure } from '../../core/failure.ts';
import type { ArchiveCodec, ArchiveMember } from '../../core/session-archive.ts';
import { errorCode } from '../../platform/error-code.ts';
import { ARCHIVE_CODECS } from './archive-codecs.ts';
import { createMeter, isFileLine } from './archive-lines.ts';

export interface PackOptions {
  readonly codec: ArchiveCodec;
  /** About how many plain bytes are to come. */
  readonly sizeHint: number;
  readonly write: (data: Uint8Array) => void;
}

export type PlainFacts = Pick<ArchiveMember, 'sha256' | 'plainBytes' | 'lineCount'>;

/** Compresses lines, which come without their breaks, on another thread: all at once, or as they come where there are many. */
export async function packMember(
  lines: Iterable<string | Buffer>,
  { codec, sizeHint, write }: PackOptions,
): Promise<PlainFacts> {
  const meter = createMeter();
  const { compress, compressWhole } = ARCHIVE_CODECS[codec];
  const blocks = blocksOf(lines, meter.pass);
  const begin: Buffer[] = [];
  let next = blocks.next();
  for (let bytes = 0; next.done !== true && bytes < WHOLE_BYTES; next = blocks.next()) {
    begin.push(next.value);
    bytes += next.value.length;
    // Making lines keeps this thread busy, and others wait for it too.
    await setImmediate();
  }
  if (next.done === true) write(await compressWhole(Buffer.concat(begin)));
  else {
    const all = Readable.from(chained([...begin, next.value], blocks), { objectMode: false });
    await pipeline(all, compress(sizeHint), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) write(chunk);
    });
  }
  return meter.result();
}

/** The lines of a member, some at a time, without their breaks. Fails at the end if they are not what was archived. */
export async function* memberLines(path: string, member: ArchiveMember): AsyncGenerator<readonly Buffer[]> {
  const meter = createMeter();
  let rest: Buffer[] = [];
  for await (const chunk of plainChunks(path, member)) {
    meter.pass(chunk);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      const piece = chunk.subarray(start, end);
      lines.push(rest.length === 0 ? piece : Buffer.concat([...rest, piece]));
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
    yield lines;
  }
  const { sha256, lineCount } = meter.result();
  if (sha256 !== member.sha256 || lineCount !== member.lineCount) throw damaged(path, member);
}

/** Reads a member from the disk to its end. Returns the lines that describe its files; fails if it is not as archived. */
export async function inspectMember(path: string, member: ArchiveMember): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const lines of memberLines(path, member)) {
    for (const line of lines) if (isFileLine(line)) files.push(line.toString('utf8'));
  }
  return files;
}

const LF = 0x0a;
const BLOCK_BYTES = 512 * 1024;
/** Members up to about this size are compressed and read back in one go. */
const WHOLE_BYTES = 4 * 1024 * 1024;

/** Lines in blocks: every block is a trip to another thread. */
function* blocksOf(lines: Iterable<string | Buffer>, pass: (block: Buffer) => void): Generator<Buffer> {
  let block = Buffer.allocUnsafe(BLOCK_BYTES);
  let used = 0;
  const take = () => {
    const full = block.subarray(0, used);
    pass(full);
    return full;
  };
  for (const line of lines) {
    // No character takes more than three bytes for each of its units; and one is for the break.
    if (line.length * 3 + 1 > block.length - used) {
      if (used > 0) yield take();
      block = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, Buffer.byteLength(line) + 1));
      used = 0;
    }
    used += typeof line === 'string' ? block.write(line, used) : line.copy(block, used);
    block[used++] = LF;
  }
  if (used > 0) yield take();
}

function* chained<T>(first: Iterable<T>, rest: Iterable<T>): Generator<T> {
  yield* first;
  yield* rest;
}

async function* plainChunks(path: string, member: ArchiveMember): AsyncGenerator<Buffer> {
  const { lengthBytes, plainBytes, codec } = member;
  try {
    if (Math.max(lengthBytes, plainBytes) > WHOLE_BYTES) yield* streamed(path, member);
    else yield await ARCHIVE_CODECS[codec].decompressWhole(readPacked(path, member), plainBytes);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw damaged(path, member, error);
  }
}

async function* streamed(path: string, { offsetBytes: start, lengthBytes, codec }: ArchiveMember) {
  const source = createReadStream(path, { start, end: start + lengthBytes - 1 });
  const plain = ARCHIVE_CODECS[codec].decompress();
  source.on('error', (error) => plain.destroy(error)).pipe(plain);
  try {
    for await (const chunk of plain) yield chunk as Buffer;
  } finally {
    source.destroy();
  }
}

function readPacked(path: string, { offsetBytes, lengthBytes }: ArchiveMember): Buffer {
  const handle = openSync(path, 'r');
  try {
    const packed = Buffer.allocUnsafe(lengthBytes);
    return packed.subarray(0, readSync(handle, packed, 0, lengthBytes, offsetBytes));
  } finally {
    closeSync(handle);
  }
}

function damaged(path: string, { bundle }: ArchiveMember, cause?: unknown): Failure {
  return new Failure('integrity', `Its archive in ${bundle} is missing or damaged.`, {
    hint: `Bring ${path} back from a backup, then try again.`,
    cause,
  });
}
