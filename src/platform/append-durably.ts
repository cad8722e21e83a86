import { closeSync, fsyncSync, openSync } from 'node:fs';
import { writeAll } from './write-all.ts';

/** Adds text at the end of a file, 0600 where it is new. On the disk when it returns, all but the name of a new file. */
export function appendDurably(path: string, text: string): void {
  const handle = openSync(path, 'a', 0o600);
  try {
    writeAll(handle, Buffer.from(text));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
