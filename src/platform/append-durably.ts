import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** Adds text at the end of a file, 0600 where it is new. On the disk when it returns, all but the name of a new file. */
export function appendDurably(path: string, text: string): void {
  const handle = openSync(path, 'a', 0o600);
  try {
    const data = Buffer.from(text);
    for (let done = 0; done < data.length; ) done += writeSync(handle, data, done);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
