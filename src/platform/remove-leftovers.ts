import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from './error-code.ts';
import { ifPossible } from './if-possible.ts';
import { isLeftBehind, isTemporaryName } from './temporary-name.ts';

/**
 * Removes what dead processes left in a folder under temporary names. What a living process is at stays, and so does whatever has
 * another name. A folder that is not there, or is a link, holds nothing of ours; what cannot be removed is left to the next.
 */
export function removeLeftovers(dir: string, prefix?: string): void {
  for (const name of leftoversIn(dir, prefix))
    ifPossible(() => rmSync(join(dir, name), { recursive: true, force: true }));
}

/** The names of what dead processes left in a folder. */
export function leftoversIn(dir: string, prefix?: string): string[] {
  const names = namesIn(dir).filter((name) => isTemporaryName(name, prefix));
  return names.filter((name) => {
    const found = lstatSync(join(dir, name), { throwIfNoEntry: false });
    return found !== undefined && isOurs(found) && isLeftBehind(name, found.mtimeMs, prefix);
  });
}

/** In a folder that many may write to, somebody else could put another thing in the place of theirs while it is removed. */
function isOurs({ uid }: { readonly uid: number }): boolean {
  return process.getuid === undefined || process.getuid() === uid;
}

function namesIn(dir: string): string[] {
  try {
    return lstatSync(dir).isDirectory() ? readdirSync(dir) : [];
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}
