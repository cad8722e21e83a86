import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { removeLeftovers } from '../leftovers/remove-leftovers.ts';
import { makePrivateDir, writeFileAtomic } from './private-files.ts';

/** As the kernel has it. */
const MOST_LINKS = 40;

/**
 * Replaces the file that a path names, in one step: through links, which stay as they are, and with the mode and owner that the file
 * has. A new file is private, and so are the folders that were missing above it. What a write that died left beside it goes.
 */
export function replaceFile(path: string, data: string): void {
  const target = afterLinks(path);
  const before = statSync(target, { throwIfNoEntry: false });
  if (before !== undefined && !before.isFile()) throw notAFile(target);
  makePrivateDir(dirname(target));
  removeLeftovers(dirname(target));
  writeFileAtomic(target, data, before && keptFacts(before));
}

/** Where a path leads, whether anything is there or not. */
function afterLinks(path: string): string {
  let place = resolve(path);
  for (let links = 0; lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true; links += 1) {
    if (links === MOST_LINKS)
      throw new Failure('refused', `${path} is a link that leads back to itself.`, { hint: REMOVE_IT });
    place = resolve(dirname(place), readlinkSync(place));
  }
  return place;
}

const REMOVE_IT = 'Remove the link, or choose another place.';

function keptFacts({ mode, uid, gid }: Stats): { mode: number; owner?: { uid: number; gid: number } } {
  // Only root can give a file away, and only of root would somebody else's file become one that its owner cannot read.
  return { mode: mode & 0o777, ...(process.getuid?.() === 0 && { owner: { uid, gid } }) };
}

function notAFile(path: string): Failure {
  return new Failure('refused', `${path} is not a file, so nothing can be written in its place.`, {
    hint: 'Choose another place.',
  });
}
