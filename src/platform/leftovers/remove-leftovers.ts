import { dirname } from 'node:path';
import { errorCode } from '../error-code.ts';
import { type DirectoryHandle, openBelow } from '../files/directory-handle.ts';
import { removeIn } from '../files/remove-tree.ts';
import { ifPossible } from '../if-possible.ts';
import { isLeftBehind, isTemporaryName } from './temporary-name.ts';

/**
 * Removes what dead processes left in a folder under temporary names. What a living process is at stays, and so does whatever has
 * another name. A folder that is not there, or is a link, holds nothing of ours; what cannot be removed is left to the next.
 */
export function removeLeftovers(dir: string, prefix?: string): void {
  using folder = openIfThere(dir);
  if (folder !== undefined) removeLeftoversIn(folder, prefix);
}

/** The same in a folder that is open. */
export function removeLeftoversIn(folder: DirectoryHandle, prefix?: string): void {
  for (const name of namesLeft(folder, prefix)) ifPossible(() => removeIn(folder, name));
}

/** The names of what dead processes left in a folder. */
export function leftoversIn(dir: string, prefix?: string): string[] {
  using folder = openIfThere(dir);
  return folder === undefined ? [] : namesLeft(folder, prefix);
}

function namesLeft(folder: DirectoryHandle, prefix: string | undefined): string[] {
  const names = folder.names().filter((name) => isTemporaryName(name, prefix));
  return names.filter((name) => {
    const found = folder.look(name);
    return found !== undefined && isOurs(found) && isLeftBehind(name, found.mtimeMs, prefix);
  });
}

/** In a folder that many may write to, somebody else could put another thing in the place of theirs while it is removed. */
function isOurs({ uid }: { readonly uid: number }): boolean {
  return process.getuid === undefined || process.getuid() === uid;
}

function openIfThere(dir: string): DirectoryHandle | undefined {
  try {
    return openBelow(dirname(dir), dir);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
