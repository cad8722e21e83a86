import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliDecompress,
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createGunzip,
  createGzip,
  gunzip,
  gzip,
} from 'node:zlib';
import type { ArchiveCodec } from '../../core/stores/session-archive.ts';

export interface Codec {
  /** What the names of its members end with. */
  readonly extension: string;
  /** For what may be large: no session of any size is ever whole in memory. */
  readonly compress: (plainBytes: number) => Duplex;
  readonly decompress: () => Duplex;
  /** For what is small: in one go, which costs far less than a stream. */
  readonly compressWhole: (plain: Buffer) => Promise<Buffer>;
  /** Fails if more comes out than is said. */
  readonly decompressWhole: (packed: Buffer, plainBytes: number) => Promise<Buffer>;
}

const brotli = promisify(brotliCompress);
const unbrotli = promisify(brotliDecompress);
const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** Each piece is a trip to another thread, so pieces are large. */
const chunkSize = 256 * 1024;

/** How members are compressed. */
export const ARCHIVE_CODECS: Readonly<Record<ArchiveCodec, Codec>> = {
  brotli: {
    extension: 'br',
    compress: (plainBytes) => createBrotliCompress(brotliOptions(plainBytes)),
    decompress: () => createBrotliDecompress({ chunkSize }),
    compressWhole: (plain) => brotli(plain, { ...brotliOptions(plain.length), ...halfOf(plain) }),
    decompressWhole: (packed, plainBytes) => unbrotli(packed, wholeOptions(plainBytes)),
  },
  gzip: {
    extension: 'gz',
    compress: () => createGzip({ chunkSize }),
    decompress: () => createGunzip({ chunkSize }),
    compressWhole: (plain) => zip(plain, halfOf(plain)),
    decompressWhole: (packed, plainBytes) => unzip(packed, wholeOptions(plainBytes)),
  },
};

function brotliOptions(plainBytes: number) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: plainBytes };
  return { chunkSize, params };
}

/** Talk takes less than half when it is packed: mostly a single trip, without memory for more. */
function halfOf({ length }: Buffer) {
  return { chunkSize: Math.max(1024, Math.ceil(length / 2)) };
}

/** One piece that is a little too large takes everything in a single trip. */
function wholeOptions(plainBytes: number) {
  return { chunkSize: plainBytes + 64, maxOutputLength: plainBytes + 64 };
}
