import { closeSync, constants, readSync } from 'node:fs';
import { errorCode } from '../error-code.ts';
import { openRegular } from './open-regular.ts';

/** Bytes of a file from a place on. Undefined where the file is gone or has not so many. */
export function readStretch(path: string, start: number, length: number): Buffer | undefined {
  let handle: number;
  try {
    handle = openRegular(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const buffer = Buffer.allocUnsafe(length);
    for (let read = 0; read < length; ) {
      const more = readSync(handle, buffer, read, length - read, start + read);
      if (more === 0) return undefined;
      read += more;
    }
    return buffer;
  } finally {
    closeSync(handle);
  }
}
