/** The last of all the bytes that were added. */
export interface LastBytes {
  add(bytes: Buffer): void;
  get(): Buffer;
}

/** Keeps the last `count` bytes in one buffer: during a flood nothing is allocated. */
export function createLastBytes(count: number): LastBytes {
  let buffer: Buffer | undefined;
  let length = 0;
  return {
    add(bytes) {
      buffer ??= Buffer.allocUnsafe(2 * count);
      const added = bytes.subarray(-count);
      if (length + added.length > buffer.length) {
        buffer.copyWithin(0, length - (count - added.length), length);
        length = count - added.length;
      }
      added.copy(buffer, length);
      length += added.length;
    },
    get: () => buffer?.subarray(Math.max(0, length - count), length) ?? Buffer.alloc(0),
  };
}
