import { accessSync, constants, lstatSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RunItem } from '../../core/run.ts';
import { openBelow } from '../../platform/directory-handle.ts';
import { errorCode } from '../../platform/error-code.ts';
import { ifPossible } from '../../platform/if-possible.ts';
import { isThere } from '../../platform/is-there.ts';
import { moveBetween } from '../../platform/move-entry.ts';
import { syncDir } from '../../platform/private-files.ts';
import { removeTree } from '../../platform/remove-tree.ts';
import { addToManifest, isManifest, removeManifest } from '../../platform/run-manifest.ts';
import { listNames } from './list-names.ts';
import { blockPath, openRecordBook, type RecordBook, takenDirectory } from './record-book.ts';
import { syncAll } from './sync-all.ts';

/**
 * What one run took out of a Hermes home: the rows of its sessions in a few large files, and the files of each item in a folder
 * of its own. Everything here can be asked for twice: what is moved already stays where it is.
 */
export interface HermesTrash {
  readonly records: RecordBook;
  /** Whether a step was begun for an item before, such as one that a crash cut short. */
  knows(number: number): boolean;
  /** Writes down what is about to be taken, for people who have only the files. Durable. */
  note(items: readonly RunItem[]): void;
  /** Where a file of `sessions/` is, once it was taken. */
  fileAt(number: number, name: string): string;
  /** The names of the files that were taken. */
  names(number: number): readonly string[];
  take(number: number, names: readonly string[]): void;
  /** Brings files back. False when something stands where one of them was; then all of them stay. */
  giveBack(number: number): boolean;
  /** Brings back what nothing stands in the way of. */
  letGo(number: number): void;
  /** Removes the files of an item for good. */
  purge(number: number): Promise<void>;
  /** Makes the moves survive a power cut. */
  sync(): Promise<void>;
  /** Takes away the empty folders of items that have left, and the run's own once nothing is left in it. */
  tidy(numbers: readonly number[]): void;
}

/** `root` is the trash of one run; it lies below `home`, so that moving is renaming. */
export function openHermesTrash(home: string, root: string): HermesTrash {
  const touched = new Set<string>();
  const records = openRecordBook(root);
  const place = (number: number) => takenDirectory(root, number);
  const fileAt = (number: number, name: string) => join(place(number), name);
  const sessionFile = (name: string) => join(home, 'sessions', name);
  const names = (number: number) => listNames(place(number));
  const move = (number: number, moves: Moves) => {
    if (moves.length === 0) return;
    for (const folder of [join(home, 'sessions'), place(number), dirname(place(number))]) touched.add(folder);
    moveAll(home, moves);
  };
  const take = (number: number, wanted: readonly string[]) => {
    const moves = wanted.map((name) => [sessionFile(name), fileAt(number, name)] as const);
    const left = moves.filter(([, to]) => !isThere(to));
    move(number, left);
  };
  const giveBack = (number: number, wanted: readonly string[]) => {
    move(
      number,
      wanted.map((name) => [fileAt(number, name), sessionFile(name)] as const),
    );
  };
  return {
    records,
    fileAt,
    names,
    take,
    knows: (number) => records.has(number) || isThere(place(number)),
    note: (items) => writeManifest(home, root, items),
    giveBack(number) {
      const taken = names(number);
      if (taken.some((name) => isThere(sessionFile(name)))) return false;
      giveBack(number, taken);
      return true;
    },
    letGo(number) {
      giveBack(
        number,
        names(number).filter((name) => !isThere(sessionFile(name))),
      );
    },
    async purge(number) {
      if (isThere(place(number))) await removeTree(home, place(number));
    },
    async sync() {
      await syncMoves(touched, join(home, 'sessions'));
      touched.clear();
    },
    tidy(numbers) {
      const blocks = new Set(numbers.map((number) => blockPath(root, number)));
      removeEmpty(home, root, [...numbers.map(place), ...blocks]);
    },
  };
}

/** Folders in their order where they are empty, and the trash of the run once nothing but its manifest is left. */
function removeEmpty(home: string, root: string, folders: readonly string[]): void {
  for (const folder of folders) ifPossible(() => removeFolder(home, folder));
  ifPossible(() => {
    using trash = openBelow(home, root);
    if (trash?.names().every(isManifest) !== true) return;
    removeManifest(trash);
    removeFolder(home, root);
  });
}

function removeFolder(home: string, path: string): void {
  using above = openBelow(home, dirname(path));
  if (above !== undefined) rmdirSync(above.at(basename(path)));
}

type Moves = readonly (readonly [from: string, to: string])[];

/** Between two folders, each of which is opened once for all moves. */
function moveAll(home: string, moves: Moves): void {
  const [[anyFrom, anyTo] = [home, home]] = moves;
  using source = openBelow(home, dirname(anyFrom), { create: true });
  using target = openBelow(home, dirname(anyTo), { create: true });
  for (const [from, to] of moves)
    moveBetween({ folder: source, name: basename(from) }, { folder: target, name: basename(to) });
}

/** Why a session's files cannot be moved, before anything of it is touched. What is no plain file is not one of them. */
export function fileObstacle(home: string, names: readonly string[]): string | undefined {
  if (names.length > 0 && !isWritable(join(home, 'sessions')))
    return 'The folder sessions of the home may not be written, so its files could not go with it.';
  const shared = names.find((name) => (plainFile(join(home, 'sessions', name))?.nlink ?? 1) > 1);
  return shared === undefined ? undefined : `sessions/${shared} has other names, so it is not only ours to move.`;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** Whether this is a file and no link to one. */
export function plainFile(path: string) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true ? stat : undefined;
}

/** Our folders first: a file must not have left its own for good while the way to where it went is not on the disk. */
async function syncMoves(folders: ReadonlySet<string>, sessions: string): Promise<void> {
  await syncAll([...folders].filter((folder) => folder !== sessions));
  if (folders.has(sessions)) await syncAll([sessions]);
}

function writeManifest(home: string, root: string, items: readonly RunItem[]): void {
  using trash = openBelow(home, root, { create: true });
  addToManifest(trash, items);
  // Any of the folders up to the home may be new, and what is in one that a power cut takes away is gone with it.
  for (let folder = root; folder !== dirname(home); folder = dirname(folder)) syncDir(folder);
}
