import { lstatSync, readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RunItem } from '../../core/retention/run.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { moveEntry } from '../../platform/files/move-entry.ts';
import { syncDir } from '../../platform/files/private-files.ts';
import { removeTree } from '../../platform/files/remove-tree.ts';
import { ifPossible } from '../../platform/if-possible.ts';
import { addToManifest, isManifest, removeManifest } from '../../platform/leftovers/run-manifest.ts';
import { DUMPS_NAME, type NativeLayout, TRANSCRIPT_NAME } from './native-layout.ts';

/**
 * The files of a run's items in `trash/<run>/<number>/`. Everything here can be asked for twice: what is moved already stays
 * where it is.
 */
export interface NativeTrash {
  /**
   * Writes down what is about to be moved, for people who have only the files, and makes the folders that it goes into: a move
   * into a folder that a power cut took away again would be a loss.
   */
  note(items: readonly RunItem[]): void;
  /** False when there is nothing of it, neither at its place nor here. */
  take(item: RunItem): boolean;
  /** False when something stands where the files came from; then all of them stay. */
  giveBack(item: RunItem): boolean;
  /** Brings back what a crash left here of an item that stays after all, as far as nothing stands there by now. */
  letGo(item: RunItem): void;
  /** Returns what its files took on the disk. */
  purge(item: RunItem): Promise<number>;
  /** Makes the moves and removals of a group survive a power cut. */
  sync(): void;
  /** Takes away the empty folders of items that have left, and the run's own once nothing is left in it. */
  tidy(items: readonly RunItem[]): void;
}

export function openNativeTrash(layout: NativeLayout, runId: string): NativeTrash {
  const root = layout.trash(runId);
  const touched = new Set<string>();
  const move = (from: string, to: string): boolean => {
    if (moveEntry(layout.root, from, to) !== 'moved') return false;
    // The folder that it went into may be new as well, and then is only a name in the one above.
    for (const folder of [dirname(from), dirname(to), dirname(dirname(to))]) touched.add(folder);
    return true;
  };
  const putBack = (from: string, to: string): void => {
    if (!isThere(to)) move(from, to);
    else if (isFolder(from) && isFolder(to))
      for (const name of readdirSync(from)) putBack(join(from, name), join(to, name));
  };
  const movesFor = (item: RunItem) => movesOf(layout, item, join(root, String(item.number)));
  const take = (item: RunItem) => {
    const taken = movesFor(item).map(({ from, to }) => isThere(to) || move(from, to));
    return taken.includes(true);
  };

  return {
    note(items) {
      using trash = openBelow(layout.root, root, { create: true });
      for (const folder of new Set(items.flatMap(movesFor).map(({ to }) => dirname(to))))
        openBelow(layout.root, folder, { create: true })[Symbol.dispose]();
      addToManifest(trash, items);
      for (const folder of [root, dirname(root), layout.root]) syncDir(folder);
    },
    take,
    giveBack(item) {
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
      return removeTree(layout.root, join(root, String(item.number)));
    },
    sync() {
      for (const directory of touched) if (isThere(directory)) syncDir(directory);
      touched.clear();
    },
    tidy: (items) => tidy(layout, root, items),
  };
}

/** An empty folder that stays is in nobody's way. One with something in it always stays. */
function tidy(layout: NativeLayout, root: string, items: readonly RunItem[]): void {
  ifPossible(() => {
    using above = openBelow(layout.root, dirname(root));
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

interface Move {
  readonly from: string;
  readonly to: string;
}

/** Where the files of an item are, and where they go. */
function movesOf(layout: NativeLayout, { item, action }: RunItem, place: string): readonly Move[] {
  // Of an archive only rows go; its bundle has others in it.
  if (item.kind === 'archive') return [];
  if (item.kind !== 'session') {
    const from = join(layout.root, item.id);
    return [{ from, to: join(place, basename(from)) }];
  }
  const directory = layout.sessionDir(item.id);
  if (action === 'remove' || action === 'archive') return [{ from: directory, to: place }];
  const names = action === 'drop-dumps' ? [DUMPS_NAME] : [TRANSCRIPT_NAME, DUMPS_NAME];
  return names.map((name) => ({ from: join(directory, name), to: join(place, name) }));
}
