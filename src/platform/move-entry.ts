import { lstatSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../core/failure.ts';
import { errorCode } from './error-code.ts';

/** What a move found: `moved`, or that there was nothing at the source any more. */
export type Moved = 'moved' | 'nothing-there';

/**
 * Moves a file or directory within one file system, never onto something that exists and never through a link. The caller
 * syncs the directories.
 */
export function moveEntry(from: string, to: string): Moved {
  const source = lstatSync(from, { throwIfNoEntry: false });
  if (source === undefined) return 'nothing-there';
  if (!source.isDirectory() && !source.isFile()) throw refused(`${from} is neither a file nor a folder.`);
  if (source.isFile() && source.nlink > 1) throw refused(`${from} has other names, so it is not only ours to move.`);
  for (const directory of [dirname(from), dirname(to)]) {
    if (!lstatSync(directory).isDirectory()) throw refused(`${directory} is a link or no folder.`);
  }
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) throw refused(`${to} is there already.`);
  try {
    renameSync(from, to);
    return 'moved';
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    throw refused(`${from} is on another file system.`);
  }
}

function refused(sentence: string): Failure {
  return new Failure('refused', sentence, { hint: 'It was left as it is.' });
}
