import { constants } from 'node:fs';
import { join } from 'node:path';
import { type DirectoryHandle, openBelow } from '../../../../platform/files/directory-handle.ts';
import { readRegular } from '../../../../platform/files/open-regular.ts';
import { removeIn } from '../../../../platform/files/remove-tree.ts';
import { KEEP_REASON } from '../../../../platform/git/copy-git-objects.ts';

/** Lets git treat the packs that Coppice brought into a repository like all others again. Those of anybody else stay as they are. */
export function dropKeeps(gitDir: string): void {
  using packs = openBelow(gitDir, join(gitDir, 'objects', 'pack'));
  if (packs === undefined) return;
  for (const name of namesEnding(packs, '.keep')) if (isOurs(packs, name)) removeIn(packs, name);
}

/**
 * Removes what git noted about a history to be quicker: it speaks of commits that a cut leaves out, or leaves out some that are
 * back. git does without, and makes it anew.
 */
export function dropShortcuts(gitDir: string): void {
  using packs = openBelow(gitDir, join(gitDir, 'objects', 'pack'));
  if (packs !== undefined) for (const name of namesEnding(packs, '.bitmap')) removeIn(packs, name);
  using info = openBelow(gitDir, join(gitDir, 'objects', 'info'));
  if (info !== undefined) for (const name of ['commit-graph', 'commit-graphs']) removeIn(info, name);
}

function namesEnding(folder: DirectoryHandle, end: string): string[] {
  return folder.names().filter((name) => name.endsWith(end));
}

function isOurs(packs: DirectoryHandle, name: string): boolean {
  return packs.look(name)?.isFile() === true && readRegular(packs.at(name), NO_LINK).toString().trim() === KEEP_REASON;
}

const NO_LINK = constants.O_RDONLY | constants.O_NOFOLLOW;
