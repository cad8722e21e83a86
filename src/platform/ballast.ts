import { closeSync, constants, fsyncSync, ftruncateSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDiskFull } from './error-code.ts';
import { freeBytes } from './file-system-facts.ts';
import { syncDir } from './private-files.ts';
import { writeAll } from './write-all.ts';

/** A full disk cannot delete: the database must write to forget. This file is the room to do so, given up when it is needed. */
export function keepBallast(path: string, sizeBytes: number): void {
  if (!ballastIsWanted(path, sizeBytes)) return;
  const handle = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    fill(handle, sizeBytes);
  } catch (error) {
    // A part of it would be counted as whole later.
    ftruncateSync(handle, 0);
    if (!isDiskFull(error)) throw error;
  } finally {
    closeSync(handle);
  }
}

/** Whether it is missing and there is room for it. Only out of plenty: ballast must never be what fills the disk. */
export function ballastIsWanted(path: string, sizeBytes: number): boolean {
  const present = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return present < sizeBytes && freeBytes(dirname(path)) >= sizeBytes * 4;
}

/** Gives the room free. True when there was any. */
export function releaseBallast(path: string): boolean {
  const present = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  rmSync(path, { force: true });
  if (present) syncDir(dirname(path));
  return present;
}

const CHUNK_BYTES = 1024 * 1024;

/** Random bytes would defeat compressing file systems; a pattern per block is enough to be stored. */
function fill(handle: number, sizeBytes: number): void {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let at = 0; at < sizeBytes; at += CHUNK_BYTES) {
    for (let block = 0; block < CHUNK_BYTES; block += 512) chunk.writeDoubleLE(at + block + 1, block);
    writeAll(handle, chunk.subarray(0, Math.min(CHUNK_BYTES, sizeBytes - at)), at);
  }
  fsyncSync(handle);
}
