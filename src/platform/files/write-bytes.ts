import { fstatSync, write } from 'node:fs';
import { isatty } from 'node:tty';
import { promisify } from 'node:util';
import { errorCode } from '../error-code.ts';
import { wait } from '../machine/wait.ts';
import { writeAll } from './write-all.ts';

/** Writes all the bytes. Returns a promise only where writing has to wait; the bytes must stay until it settles. */
export type WriteBytes = (bytes: Buffer) => Promise<void> | undefined;

/**
 * How to write to an open file of any kind. Files and devices take bytes at once. A terminal or a pipe may make its writer wait
 * for as long as somebody likes, and then only the write waits, not the whole process.
 */
export function bytesWriter(fd: number): WriteBytes {
  return mayWait(fd) ? (bytes) => writeWaiting(fd, bytes) : (bytes) => void writeAll(fd, bytes);
}

function mayWait(fd: number): boolean {
  const stat = fstatSync(fd);
  return isatty(fd) || stat.isFIFO() || stat.isSocket();
}

const writeAsync = promisify(write);

async function writeWaiting(fd: number, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += (await writeAsync(fd, bytes, done)).bytesWritten;
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error;
      await wait(FULL_WAIT_MS);
    }
  }
}

/** Another process may have made a shared pipe or terminal one that refuses instead of waiting. */
const FULL_WAIT_MS = 10;
