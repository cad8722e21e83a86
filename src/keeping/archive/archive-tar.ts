import { closeSync, ftruncateSync, readSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import type { EpochMs } from '../../core/time.ts';
import { openRegular } from '../../platform/files/open-regular.ts';
import { writeAll } from '../../platform/files/write-all.ts';

const BLOCK_BYTES = 512;
/** Where a header says how long its member is. */
const LENGTH_AT = 124;
const LENGTH_DIGITS = 11;
/** Eleven octal digits, which is all a plain header has room for. */
const MAX_MEMBER_BYTES = 0o77777777777;

/** A plain tar archive that is being written, one member after the other. */
export interface ArchiveTar {
  readonly sizeBytes: number;
  /** Adds a member whose length is known only once it is written. One that fails leaves no trace. */
  add<T>(name: string, fill: (write: (data: Uint8Array) => void) => T): Promise<TarMember<Awaited<T>>>;
  /** Writes the end. */
  finish(): void;
}

export interface TarMember<T> {
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  readonly value: T;
}

/** Writes a tar archive of the `ustar` kind, which every `tar` reads, into an open file. */
export function createArchiveTar(handle: number, modifiedAt: EpochMs): ArchiveTar {
  let sizeBytes = 0;
  const write = (data: Uint8Array) => {
    sizeBytes += writeAll(handle, data, sizeBytes);
  };
  return {
    get sizeBytes() {
      return sizeBytes;
    },
    async add(name, fill) {
      const start = sizeBytes;
      try {
        const offsetBytes = (sizeBytes += BLOCK_BYTES);
        const value = await fill(write);
        const lengthBytes = sizeBytes - offsetBytes;
        write(Buffer.alloc((BLOCK_BYTES - (lengthBytes % BLOCK_BYTES)) % BLOCK_BYTES));
        writeAll(handle, tarHeader(name, { lengthBytes, modifiedAt }), start);
        return { offsetBytes, lengthBytes, value };
      } catch (error) {
        sizeBytes = start;
        throw error;
      }
    },
    finish() {
      write(Buffer.alloc(2 * BLOCK_BYTES));
      ftruncateSync(handle, sizeBytes);
    },
  };
}

/** The names of the members of such an archive, by its headers alone. */
export function tarNames(path: string): readonly string[] {
  const handle = openRegular(path);
  try {
    const names: string[] = [];
    const header = Buffer.alloc(BLOCK_BYTES);
    for (let at = 0; readSync(handle, header, 0, BLOCK_BYTES, at) === BLOCK_BYTES && header[0] !== 0; ) {
      names.push(header.toString('latin1', 0, 100).replace(/\0.*$/s, ''));
      const lengthBytes = Number.parseInt(header.toString('latin1', LENGTH_AT, LENGTH_AT + LENGTH_DIGITS), 8);
      at += BLOCK_BYTES + Math.ceil(lengthBytes / BLOCK_BYTES) * BLOCK_BYTES;
    }
    return names;
  } finally {
    closeSync(handle);
  }
}

function tarHeader(name: string, { lengthBytes, modifiedAt }: { lengthBytes: number; modifiedAt: EpochMs }): Buffer {
  if (lengthBytes > MAX_MEMBER_BYTES) throw new Failure('refused', 'It is too large for an archive.');
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, digits: number, at: number) =>
    header.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  header.write(name, 0, 'latin1');
  octal(0o600, 7, 100);
  octal(0, 7, 108);
  octal(0, 7, 116);
  octal(lengthBytes, LENGTH_DIGITS, LENGTH_AT);
  octal(Math.floor(modifiedAt / 1000), 11, 136);
  // The sum counts its own place as blanks.
  header.write(' '.repeat(8), 148, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    6,
    148,
  );
  header.writeUInt8(0, 154);
  return header;
}
