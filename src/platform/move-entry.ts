import { lstatSync, renameSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { Failure } from '../core/failure.ts';
import { errorCode } from './error-code.ts';

/** What a move found: `moved`, or that there was nothing at the source any more. */
export type Moved = 'moved' | 'nothing-there';

/**
 * Moves a file or directory below `root` within one file system, never onto something that exists and never through a link.
 * The caller syncs the directories.
 */
export function moveEntry(root: string, from: string, to: string): Moved {
  for (const path of [from, to]) refuseLinks(root, dirname(path));
  return moveBetween(from, to);
}

/** The same for a caller that has just made sure that both folders are real ones: it may have many files to move. */
export function moveBetween(from: string, to: string): Moved {
  const source = lstatSync(from, { throwIfNoEntry: false });
  if (source === undefined) return 'nothing-there';
  if (!source.isDirectory() && !source.isFile()) throw refused(`${from} is neither a file nor a folder.`);
  if (source.isFile() && source.nlink > 1) throw refused(`${from} has other names, so it is not only ours to move.`);
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) throw refused(`${to} is there already.`);
  try {
    renameSync(from, to);
    return 'moved';
  } catch (error) {
    // A folder that another file system is mounted on is busy.
    if (!['EXDEV', 'EBUSY'].includes(errorCode(error) ?? '')) throw error;
    throw refused(`${from} is on another file system.`);
  }
}

/** Makes sure that a path leads through real folders only, from `root` to its end. What does not exist yet is no link. */
export function refuseLinks(root: string, path: string): void {
  let at = root;
  for (const name of relative(root, path).split(sep)) {
    at = join(at, name);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (name === '..' || !stat.isDirectory()) throw refused(`${at} is a link or no folder of this home.`);
  }
}

function refused(sentence: string): Failure {
  return new Failure('refused', sentence, { hint: 'It was left as it is.' });
}
