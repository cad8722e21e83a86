import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { isDiskFull } from '../error-code.ts';
import { openRegular } from './open-regular.ts';
import { syncDir } from './private-files.ts';
import { writeAll } from './write-all.ts';

/** What the ballast takes; 0 where there is none. A file that has another name is none: it would free nothing. */
export function ballastBytes(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.nlink === 1 ? stat.size : 0;
}

/**
 * A full disk cannot delete: the database must write to forget. This file is the room to do so, given up when it is needed. Makes
 * it so large, or none for 0. Where the disk has less after all, it stays as it was.
 */
export function keepBallast(path: string, sizeBytes: number): void {
  const present = ballastBytes(path);
  if (present === sizeBytes) return;
  if (sizeBytes === 0) return void releaseBallast(path);
  makeWay(path);
  const handle = openRegular(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW);
  try {
    // Another name that it was given since the look is somebody's.
    if (fstatSync(handle).nlink > 1) return;
    if (sizeBytes < present) ftruncateSync(handle, sizeBytes);
    else fill(handle, present, sizeBytes);
  } catch (error) {
    ftruncateSync(handle, present);
    if (!isDiskFull(error)) throw error;
  } finally {
    closeSync(handle);
  }
}

/** A file that has another name stays under that one. Anything else that stands here is somebody's. */
function makeWay(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile())
    throw new Failure('refused', `${path} is not a plain file, so the reserve is not kept there.`, {
      hint: 'Move it away.',
    });
  if ((stat?.nlink ?? 1) > 1) rmSync(path);
}

/** Gives the room free, and tells how much. */
export function releaseBallast(path: string): number {
  const present = ballastBytes(path);
  rmSync(path, { force: true });
  if (present > 0) syncDir(dirname(path));
  return present;
}

const CHUNK_BYTES = 1024 * 1024;

/** Random bytes would defeat compressing file systems; a pattern per block is enough to be stored. */
function fill(handle: number, from: number, to: number): void {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let at = from; at < to; at += CHUNK_BYTES) {
    for (let block = 0; block < CHUNK_BYTES; block += 512) chunk.writeDoubleLE(at + block + 1, block);
    writeAll(handle, chunk.subarray(0, Math.min(CHUNK_BYTES, to - at)), at);
  }
  fsyncSync(handle);
}
