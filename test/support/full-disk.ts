import { closeSync, openSync, statfsSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** What an ordinary user can still write to the file system of this path. */
export function freeOn(disk: string): number {
  const { bavail, bsize } = statfsSync(disk);
  return bavail * bsize;
}

/** Fills a disk with one file until exactly so many bytes are left, in whole blocks. */
export function fillUp(disk: string, leftBytes = 0): void {
  const filler = join(disk, 'filler');
  const handle = openSync(filler, 'a');
  let written = 0;
  for (let size = 1024 * 1024; size >= 1; ) {
    try {
      const done = writeSync(handle, Buffer.alloc(size, 1));
      written += done;
      if (done < size) size /= 2;
    } catch {
      size /= 2;
    }
    size = Math.floor(size);
  }
  closeSync(handle);
  truncateSync(filler, written - leftBytes);
}

/** Words that no other text has, the same for the same seed: what a search index has most to do with. */
export function randomWords(seed: number, bytes: number): string {
  let state = seed * 7919 + 1;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const words: string[] = [];
  for (let length = 0; length < bytes; ) {
    const word = Math.floor(next() * 36 ** (6 + Math.floor(next() * 6))).toString(36);
    words.push(word);
    length += word.length + 1;
  }
  return words.join(' ');
}
