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
import type { ArchiveCodec } from '../../core/session-archive.ts';

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

/** Each piece is a trip to another thread, so pieces are large. */
const chunkSize = 256 * 1024;

/** How members are compressed. */
export const ARCHIVE_CODECS: Readonly<Record<ArchiveCodec, Codec>> = {
  brotli: {
    extension: 'br',
    compress: (plainBytes) => createBrotliCompress(brotliOptions(plainBytes)),
    decompress: () => createBrotliDecompress({ chunkSize }),
    compressWhole: (plain) => promisify(brotliCompress)(plain, brotliOptions(plain.length)),
    decompressWhole: (packed, plainBytes) => promisify(brotliDecompress)(packed, wholeOptions(plainBytes)),
  },
  gzip: {
    extension: 'gz',
    compress: () => createGzip({ chunkSize }),
    decompress: () => createGunzip({ chunkSize }),
    compressWhole: (plain) => promisify(gzip)(plain, { chunkSize }),
    decompressWhole: (packed, plainBytes) => promisify(gunzip)(packed, wholeOptions(plainBytes)),
  },
};

function brotliOptions(plainBytes: number) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: plainBytes };
  return { chunkSize, params };
}

/** One piece that is a little too large takes everything in a single trip. */
function wholeOptions(plainBytes: number) {
  return { chunkSize: plainBytes + 64, maxOutputLength: plainBytes + 64 };
}
