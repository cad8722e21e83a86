import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { errorCode } from '../error-code.ts';
import { readablePath } from '../machine/readable-path.ts';

/**
 * Opens a file of ours, to be read unless the flags say otherwise, and refuses whatever else has its name: who reads a pipe waits for
 * ever. What was opened is looked at, so nothing can take its place in between.
 */
export function openRegular(path: string, flags: number = constants.O_RDONLY): number {
  const handle = openWithoutWaiting(path, flags);
  try {
    refuseOthers(path, fstatSync(handle));
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/** The content of a file of ours. */
export function readRegular(path: string, flags?: number): Buffer {
  const handle = openRegular(path, flags);
  try {
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Refuses what is no file, without opening it: for databases, which only SQLite may open. What is not there is fine. */
export function refuseIrregular(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined) refuseOthers(path, stat);
}

function openWithoutWaiting(path: string, flags: number): number {
  try {
    // Otherwise the opening of a pipe waits for somebody at its other end.
    return openSync(path, flags | constants.O_NONBLOCK, 0o600);
  } catch (error) {
    // What the system says of a socket, and of a pipe that nobody reads.
    if (errorCode(error) === 'ENXIO') refuseIrregular(path);
    if (errorCode(error) === 'ELOOP' && (flags & constants.O_NOFOLLOW) !== 0) throw notAFile(path, 'a link');
    throw error;
  }
}

function refuseOthers(path: string, stat: Stats): void {
  if (!stat.isFile()) throw notAFile(path, nameOf(stat));
}

function notAFile(path: string, what: string): Failure {
  return new Failure('refused', `${readablePath(path)} is not a file, but ${what}.`, {
    hint: 'Nothing was changed. Move it out of the way, then run the command again.',
  });
}

function nameOf(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder';
  if (stat.isFIFO()) return 'a pipe';
  return stat.isSocket() ? 'a socket' : 'a device';
}
