/** Bytes that wait for the rest of their line. */
export interface HeldBytes {
  readonly length: number;
  add(bytes: Buffer): void;
  /** Everything that is held, which then no longer is. */
  take(): Buffer;
}

/** Copies what is added into one growing buffer, so that bytes which come one at a time cost no more than others. */
export function createHeldBytes(): HeldBytes {
  let buffer = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(bytes) {
      if (length + bytes.length > buffer.length) {
        const larger = Buffer.allocUnsafe(2 * (length + bytes.length));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      bytes.copy(buffer, length);
      length += bytes.length;
    },
    take() {
      const taken = buffer.subarray(0, length);
      buffer = Buffer.alloc(0);
      length = 0;
      return taken;
    },
  };
}
