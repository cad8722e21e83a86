import { closeSync, constants, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../files/open-regular.ts';

/** A part of a file, and how long the whole is. */
export interface FileSlice {
  readonly text: string;
  readonly sizeBytes: number;
}

/** Where a part begins, counted from the start of the file or back from its end, and how long it is at most. */
export type SliceRange = { readonly from?: 'start' | 'end'; readonly bytes: number };

/** A part of a file as text, without waiting at a pipe and without following a link. Fails where it cannot be read. */
export function readSlice(path: string, { from = 'start', bytes }: SliceRange): FileSlice {
  const handle = openRegular(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = fstatSync(handle);
    const length = Math.min(size, bytes);
    const start = from === 'start' ? 0 : size - length;
    const buffer = Buffer.allocUnsafe(length);
    let read = 0;
    while (read < length) {
      const more = readSync(handle, buffer, read, length - read, start + read);
      if (more === 0) break;
      read += more;
    }
    return { text: buffer.toString('utf8', 0, read), sizeBytes: size };
  } finally {
    closeSync(handle);
  }
}
