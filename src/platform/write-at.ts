import { writeSync } from 'node:fs';

/** Writes all of the data at a position, however many system calls that takes. Returns its length. */
export function writeAt(handle: number, data: Uint8Array, position: number): number {
  for (let done = 0; done < data.length; ) done += writeSync(handle, data, done, data.length - done, position + done);
  return data.length;
}
