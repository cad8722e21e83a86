import { closeSync, openSync, readSync } from 'node:fs';

/** The beginning of a file as text, at most so many bytes; undefined when it cannot be read. A mark at its start is left out. */
export function readBeginning(path: string, bytes: number): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    // Whoever asks does without: what is beside a transcript may be missing, and what is not readable is said when it is read.
    return undefined;
  }
  try {
    const buffer = Buffer.allocUnsafe(bytes);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, bytes, 0)).replace(/^\uFEFF/, '');
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
