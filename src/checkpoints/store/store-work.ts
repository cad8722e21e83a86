import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isJsonObject } from '../../core/json.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { removeBelow } from '../../platform/files/remove-tree.ts';
import { writeBelow } from '../../platform/files/write-below.ts';
import { ifPossible } from '../../platform/if-possible.ts';
import { isLeftBehind, ownerOf, temporaryName } from '../../platform/leftovers/temporary-name.ts';
import { namesIn } from './names-in.ts';
import type { StoreLayout } from './store-layout.ts';

// Whoever works in the store says so first, in a file that bears its name: git leaves locks and half-written files when it is
// killed, and a restore has files of its own in the folder of a project. Where the file of a dead process is found, somebody has
// to look for them.

const GIT = 'git';
const RESTORE = 'restore';

/** Says that this process starts gits that write to the store, until it is disposed of. A full disk is no obstacle. */
export function signIn({ home, work }: WorkPlace): Disposable {
  const path = join(work, temporaryName(GIT));
  ifPossible(() => {
    using folder = openBelow(home, work, { create: true });
    closeSync(openSync(folder.at(basename(path)), 'wx', 0o600));
  });
  return { [Symbol.dispose]: () => ifPossible(() => removeBelow(home, [path])) };
}

type WorkPlace = Pick<StoreLayout, 'home' | 'work'>;

/** Where a restore has files of its own. */
export interface RestorePlaces {
  readonly workdir: string;
  /** One path in each folder where it writes, relative to the working directory. They are bytes, kept as Latin-1. */
  readonly paths: readonly string[];
}

/**
 * Writes down where a restore is about to have files of its own, durably, until it is disposed of. On a full disk it is done
 * without: a restore may be what makes room.
 */
export function noteRestore({ home, work }: WorkPlace, places: RestorePlaces): Disposable {
  const path = join(work, temporaryName(RESTORE));
  ifPossible(() => writeBelow(home, path, `${JSON.stringify(places)}\n`));
  return { [Symbol.dispose]: () => ifPossible(() => removeBelow(home, [path])) };
}

/** What a dead process wrote down here. */
export interface WorkNote {
  readonly path: string;
  readonly owner: NonNullable<ReturnType<typeof ownerOf>>;
  /** Absent for one that only started gits. */
  readonly restore?: RestorePlaces;
}

export function notesLeft({ work }: Pick<StoreLayout, 'work'>): WorkNote[] {
  return namesIn(work, /^(git|restore)-/).flatMap((name) => {
    const path = join(work, name);
    const prefix = name.startsWith(`${GIT}-`) ? GIT : RESTORE;
    const owner = ownerOf(name, prefix);
    if (owner === undefined || !isLeftBehind(name, owner.since, prefix)) return [];
    return [{ path, owner, ...(prefix === RESTORE && { restore: readPlaces(path) }) }];
  });
}

/** A note that cannot be read names no folder. */
function readPlaces(path: string): RestorePlaces {
  try {
    const data: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isJsonObject(data)) return NOWHERE;
    const { workdir, paths } = data as Partial<RestorePlaces>;
    if (typeof workdir !== 'string' || !Array.isArray(paths)) return NOWHERE;
    return { workdir, paths: paths.filter(isBelow) };
  } catch {
    return NOWHERE;
  }
}

const NOWHERE: RestorePlaces = { workdir: '', paths: [] };

function isBelow(path: unknown): path is string {
  return typeof path === 'string' && !path.split('/').some((name) => ['', '.', '..'].includes(name));
}
