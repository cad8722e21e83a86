import { renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { errorCode } from '../error-code.ts';
import { type DirectoryHandle, openBelow } from './directory-handle.ts';

/** What a move found: `moved`, or that there was nothing at the source any more. */
export type Moved = 'moved' | 'nothing-there';

/** A name in an open folder. */
export interface Spot {
  readonly folder: DirectoryHandle;
  readonly name: string;
}

/**
 * Moves a file or directory below `root` within one file system, never onto something that exists and never through a link. Makes
 * the folders that it goes into. The caller syncs the directories.
 */
export function moveEntry(root: string, from: string, to: string): Moved {
  using source = openBelow(root, dirname(from));
  if (source === undefined) return 'nothing-there';
  using target = openBelow(root, dirname(to), { create: true });
  return moveBetween({ folder: source, name: basename(from) }, { folder: target, name: basename(to) });
}

/** The same between folders that are open: there may be many files to move. */
export function moveBetween(from: Spot, to: Spot): Moved {
  const source = from.folder.look(from.name);
  if (source === undefined) return 'nothing-there';
  const [here, there] = [from, to].map(({ folder, name }) => join(folder.path, name));
  if (!source.isDirectory() && !source.isFile()) throw refused(`${here} is neither a file nor a folder.`);
  if (source.isFile() && source.nlink > 1) throw refused(`${here} has other names, so it is not only ours to move.`);
  if (to.folder.look(to.name) !== undefined) throw refused(`${there} is there already.`);
  try {
    renameSync(from.folder.at(from.name), to.folder.at(to.name));
    return 'moved';
  } catch (error) {
    // A folder that another file system is mounted on is busy.
    if (!['EXDEV', 'EBUSY'].includes(errorCode(error) ?? '')) throw error;
    throw refused(`${here} is on another file system.`);
  }
}

/** Makes sure that a path leads through real folders only, from `root` to its end. What does not exist yet is no link. */
export function refuseLinks(root: string, path: string): void {
  openBelow(root, path)?.[Symbol.dispose]();
}

function refused(sentence: string): Failure {
  return new Failure('refused', sentence, { hint: 'It was left as it is.' });
}
