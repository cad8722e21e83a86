import { closeSync, createReadStream, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { Failure } from '../../core/failure.ts';
import type { ArchiveCodec, ArchiveMember } from '../../core/stores/session-archive.ts';
import { errorCode } from '../../platform/error-code.ts';
import { openRegular } from '../../platform/files/open-regular.ts';
import { ARCHIVE_CODECS } from './archive-codecs.ts';
import { isBundleName } from './shelf/bundle-names.ts';
import { createMeter, fileLinesIn, type SomeLines } from './archive-lines.ts';

export interface PackOptions {
  readonly codec: ArchiveCodec;
  /** About how many plain bytes are to come. */
  readonly sizeHint: number;
  readonly write: (data: Uint8Array) => void;
}

export type PlainFacts = Pick<ArchiveMember, 'sha256' | 'plainBytes' | 'lineCount'>;

/** Compresses lines on another thread: all at once, or as they come where there are many. */
export async function packMember(
  lines: AsyncIterable<SomeLines>,
  { codec, sizeHint, write }: PackOptions,
): Promise<PlainFacts> {
  const meter = createMeter();
  const { compress, compressWhole } = ARCHIVE_CODECS[codec];
  const blocks = blocksOf(lines, { sizeHint, pass: meter.pass });
  const begin: Buffer[] = [];
  let next = await blocks.next();
  for (let bytes = 0; next.done !== true && bytes < WHOLE_BYTES; next = await blocks.next()) {
    begin.push(next.value);
    bytes += next.value.length;
    // Making lines keeps this thread busy, and others wait for it too.
    await setImmediate();
  }
  if (next.done === true) write(await compressWhole(joined(begin)));
  else {
    const all = Readable.from(chained([...begin, next.value], blocks), { objectMode: false });
    await pipeline(all, compress(sizeHint), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) write(chunk);
    });
  }
  return meter.result();
}

/** The plain content of a member, in stretches of whole lines. Fails at the end if it is not what was archived. */
export async function* memberStretches(path: string, member: ArchiveMember): AsyncGenerator<Buffer> {
  const meter = createMeter();
  let rest: Buffer[] = [];
  for await (const chunk of plainChunks(path, member)) {
    meter.pass(chunk);
    const end = chunk.lastIndexOf(LF) + 1;
    if (end === 0) rest.push(chunk);
    else {
      yield joined([...rest, chunk.subarray(0, end)]);
      rest = end === chunk.length ? [] : [chunk.subarray(end)];
    }
  }
  const { sha256, lineCount } = meter.result();
  if (sha256 !== member.sha256 || lineCount !== member.lineCount) throw damaged(path, member);
}

/** Reads a member from the disk to its end. Returns the lines that describe its files; fails if it is not as archived. */
export async function inspectMember(path: string, member: ArchiveMember): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const stretch of memberStretches(path, member)) files.push(...fileLinesIn(stretch));
  return files;
}

const LF = 0x0a;
const BLOCK_BYTES = 512 * 1024;
/** What a session takes beside its content, if that is not much. */
const SMALL_BYTES = 32 * 1024;
/** Members up to about this size are compressed and read back in one go. */
const WHOLE_BYTES = 4 * 1024 * 1024;

interface BlockOptions {
  readonly sizeHint: number;
  readonly pass: (block: Buffer) => void;
}

/** Lines in blocks: every block is a trip to another thread. Most sessions fit into the first one. */
async function* blocksOf(lines: AsyncIterable<SomeLines>, { sizeHint, pass }: BlockOptions): AsyncGenerator<Buffer> {
  let block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, SMALL_BYTES + Math.ceil(sizeHint * 1.25)));
  let used = 0;
  function* take(): Generator<Buffer> {
    if (used === 0) return;
    const full = block.subarray(0, used);
    pass(full);
    yield full;
  }
  for await (const some of lines) {
    for (const line of some) {
      // No character takes more than three bytes for each of its units; only near the end of a block that is counted exactly.
      if (line.length * 3 >= block.length - used && Buffer.byteLength(line) >= block.length - used) {
        yield* take();
        block = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, Buffer.byteLength(line) + 1));
        used = 0;
      }
      used += typeof line === 'string' ? block.write(line, used) : line.copy(block, used);
      block[used++] = LF;
    }
  }
  yield* take();
}

function joined(blocks: readonly Buffer[]): Buffer {
  return blocks.length === 1 && blocks[0] !== undefined ? blocks[0] : Buffer.concat(blocks);
}

async function* chained<T>(first: Iterable<T>, rest: AsyncIterable<T>): AsyncGenerator<T> {
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
  const source = createReadStream('', { fd: openRegular(path), start, end: start + lengthBytes - 1 });
  const plain = ARCHIVE_CODECS[codec].decompress();
  source.on('error', (error) => plain.destroy(error)).pipe(plain);
  try {
    for await (const chunk of plain) yield chunk as Buffer;
  } finally {
    source.destroy();
  }
}

function readPacked(path: string, { offsetBytes, lengthBytes }: ArchiveMember): Buffer {
  const handle = openRegular(path);
  try {
    const packed = Buffer.allocUnsafe(lengthBytes);
    return packed.subarray(0, readSync(handle, packed, 0, lengthBytes, offsetBytes));
  } finally {
    closeSync(handle);
  }
}

function damaged(path: string, { bundle }: ArchiveMember, cause?: unknown): Failure {
  return new Failure('integrity', `Its archive in ${bundle} is missing or damaged.`, {
    hint: isBundleName(bundle)
      ? `Bring ${path} back from a backup, then try again.`
      : `Bring ${bundle} back in the object store that archive.url names, then try again.`,
    cause,
  });
}
