import type { TreeChange } from '../project/diff-trees.ts';
import { EXECUTABLE, type Found, findEntry, LINK, PLAIN, sameEntry } from './worktree-entry.ts';
import { type Folder, openPlace, type Place } from './worktree-folder.ts';

/** `act` and `nothing-to-do` need no words; whatever keeps a path from being changed is a sentence. */
export type Verdict = { readonly kind: 'act' | 'nothing-to-do' } | { readonly kind: 'stop'; readonly why: string };

export interface Judging {
  readonly root: Folder;
  /** Where the path is: whoever acts on the verdict does so in the same open folder. */
  readonly place: Place;
  /** Names the paths that will be gone by then. */
  readonly leaving?: ReadonlySet<string>;
}

/**
 * Whether a path may be changed from one saved state to another. Only what is exactly as the first state says is ever
 * replaced or removed, so nothing is lost that no checkpoint holds.
 */
export async function judgeChange({ root, place, leaving = new Set() }: Judging, change: TreeChange): Promise<Verdict> {
  const { path, from, to } = change;
  if (to !== undefined && !WRITABLE.has(to.mode)) return stop('It is of a kind that cannot be put back.');
  const wall = to && firstObstacle(root, path);
  if (wall !== undefined && !leaving.has(key(wall))) return stop('A file or link stands where its folder should be.');
  const found = await findEntry(place);
  // A file that is to go and has given way to a folder is gone; what the folder holds is judged by its own paths.
  if (sameEntry(found, to) || (found === 'folder' && to === undefined)) return { kind: 'nothing-to-do' };
  if (found === undefined || sameEntry(found, from)) return { kind: 'act' };
  if (found === 'folder' && from === undefined && holdsOnly(root, path, leaving)) return { kind: 'act' };
  return stop(whatIsThere(found));
}

/** Paths as keys of a set: the same bytes, the same text. */
export function key(path: Buffer): string {
  return path.toString('latin1');
}

const WRITABLE = new Set([PLAIN, EXECUTABLE, LINK]);

/** The first part of the way to a path that is there and is no folder. */
function firstObstacle(root: Folder, path: Buffer): Buffer | undefined {
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
    const part = path.subarray(0, end);
    using place = openPlace(root, part, { create: false });
    const inside = place.folder?.open(place.name);
    inside?.[Symbol.dispose]();
    if (inside === undefined) return place.folder?.lacks(place.name) === false ? part : undefined;
  }
  return undefined;
}

/** True when a folder holds nothing but folders and files that are leaving. */
function holdsOnly(root: Folder, path: Buffer, leaving: ReadonlySet<string>): boolean {
  using place = openPlace(root, path, { create: false });
  using folder = place.folder?.open(place.name);
  if (folder === undefined) return leaving.has(key(path));
  return folder.names().every((name) => holdsOnly(root, Buffer.concat([path, SLASH, name]), leaving));
}

const SLASH = Buffer.from('/');

function whatIsThere(found: Exclude<Found, undefined>): string {
  if (found === 'folder') return 'A folder that holds other files is in the way.';
  if (found === 'other') return 'Something that is neither a file nor a link is in the way.';
  return 'It holds something that no checkpoint has, so it stays as it is.';
}

function stop(why: string): Verdict {
  return { kind: 'stop', why };
}
