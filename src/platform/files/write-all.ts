import { writeSync } from 'node:fs';

/** Writes all of the data, however many system calls that takes: at a position, or where the file is. Returns its length. */
export function writeAll(handle: number, data: Uint8Array, position?: number): number {
  for (let done = 0; done < data.length; )
    done += writeSync(handle, data, done, data.length - done, position === undefined ? null : position + done);
  return data.length;
}
