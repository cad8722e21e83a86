/** The most that one block of the format holds. */
const BLOCK_BYTES = 100 * 1024;

/** A file of zstd with this in it, in blocks that are not made any smaller: every program that knows the format reads it. */
export function rawZstd(content: string): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(6);
  header.writeUInt32LE(0xfd2fb528);
  // No checksum, no size of the content, and a window of 128 KiB.
  header.writeUInt8(0, 4);
  header.writeUInt8(7 << 3, 5);
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += BLOCK_BYTES) {
    const piece = bytes.subarray(at, at + BLOCK_BYTES);
    const start = Buffer.alloc(3);
    start.writeUIntLE((piece.length << 3) | (at + BLOCK_BYTES >= bytes.length ? 1 : 0), 0, 3);
    blocks.push(start, piece);
  }
  return Buffer.concat([header, ...blocks]);
}
