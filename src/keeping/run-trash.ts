import { lstatSync, readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RunItem } from '../core/retention/run.ts';
import { openBelow } from '../platform/files/directory-handle.ts';
import { isThere } from '../platform/files/is-there.ts';
import { moveEntry } from '../platform/files/move-entry.ts';
import { syncDir } from '../platform/files/private-files.ts';
import { removeTree } from '../platform/files/remove-tree.ts';
import { ifPossible } from '../platform/if-possible.ts';
import { addToManifest, isManifest, removeManifest } from '../platform/leftovers/run-manifest.ts';

/** Where something of an item is, and where it goes. Both lie below the home, so that moving is renaming. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

export interface RunTrashPlace {
  /** Nothing outside is touched, and no link is followed below it. */
  readonly home: string;
  /** The trash of the run. */
  readonly root: string;
  /** What belongs to an item. `place` is the folder in the trash that is its own. */
  readonly movesOf: (item: RunItem, place: string) => readonly Move[];
}

/**
 * The files of a run's items in `trash/<run>/<number>/`. Everything here can be asked for twice: what is moved already stays
 * where it is.
 */
export interface RunTrash {
  /**
   * Writes down what is about to be moved, for people who have only the files, and makes the folders that it goes into: a move
   * into a folder that a power cut took away again would be a loss.
   */
  note(items: readonly RunItem[]): void;
  /** False when there is nothing of it, neither at its place nor here. */
  take(item: RunItem): boolean;
  /** False when something stands where the files came from; then all of them stay. */
  bringBack(item: RunItem): boolean;
  /** Brings back what a crash left here of an item that stays after all, as far as nothing stands there by now. */
  letGo(item: RunItem): void;
  /** Returns what its files took on the disk. */
  purge(item: RunItem): Promise<number>;
  /** Makes the moves and removals of a group survive a power cut. */
  sync(): void;
  /** Takes away the empty folders of items that have left, and the run's own once nothing is left in it. */
  tidy(items: readonly RunItem[]): void;
}

/** A kind of home says with `movesOf` what its items are made of; everything else about moving them is here. */
export function openRunTrash({ home, root, movesOf }: RunTrashPlace): RunTrash {
  const touched = new Set<string>();
  const move = (from: string, to: string): boolean => {
    if (moveEntry(home, from, to) !== 'moved') return false;
    // The folder that it went into may be new as well, and then is only a name in the one above.
    for (const folder of [dirname(from), dirname(to), dirname(dirname(to))]) touched.add(folder);
    return true;
  };
  const putBack = (from: string, to: string): void => {
    if (!isThere(to)) move(from, to);
    else if (isFolder(from) && isFolder(to))
      for (const name of readdirSync(from)) putBack(join(from, name), join(to, name));
  };
  const movesFor = (item: RunItem) => movesOf(item, join(root, String(item.number)));
  const take = (item: RunItem) => {
    const taken = movesFor(item).map(({ from, to }) => isThere(to) || move(from, to));
    return taken.includes(true);
  };

  return {
    note(items) {
      using trash = openBelow(home, root, { create: true });
      for (const folder of new Set(items.flatMap(movesFor).map(({ to }) => dirname(to))))
        openBelow(home, folder, { create: true })[Symbol.dispose]();
      addToManifest(trash, items);
      // Any of the folders up to the home may be new, and what is in one that a power cut takes away is gone with it.
      for (let folder = root; folder !== dirname(home); folder = dirname(folder)) syncDir(folder);
    },
    take,
    bringBack(item) {
      const moves = movesFor(item).filter(({ to }) => isThere(to));
      if (moves.some(({ from }) => isThere(from))) return false;
      try {
        for (const { from, to } of moves) move(to, from);
        return true;
      } catch (error) {
        take(item);
        throw error;
      }
    },
    letGo(item) {
      for (const { from, to } of movesFor(item)) if (isThere(to)) putBack(to, from);
    },
    async purge(item) {
      touched.add(root);
      return removeTree(home, join(root, String(item.number)));
    },
    sync() {
      for (const directory of touched) if (isThere(directory)) syncDir(directory);
      touched.clear();
    },
    tidy: (items) => tidy(home, root, items),
  };
}

/** An empty folder that stays is in nobody's way. One with something in it always stays. */
function tidy(home: string, root: string, items: readonly RunItem[]): void {
  ifPossible(() => {
    using above = openBelow(home, dirname(root));
    using trash = above?.folder(basename(root));
    if (above === undefined || trash === undefined) return;
    for (const { number } of items) ifPossible(() => rmdirSync(trash.at(String(number))));
    if (!trash.names().every(isManifest)) return trash.sync();
    removeManifest(trash);
    rmdirSync(above.at(basename(root)));
    above.sync();
  });
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
