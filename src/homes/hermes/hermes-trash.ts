import { lstatSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { RunItem } from '../../core/run.ts';
import { ifPossible } from '../../platform/if-possible.ts';
import { isThere } from '../../platform/is-there.ts';
import { moveBetween, refuseLinks } from '../../platform/move-entry.ts';
import { makePrivateDir, syncDir } from '../../platform/private-files.ts';
import { addToManifest, MANIFEST } from '../../platform/run-manifest.ts';
import { walkTree } from '../../platform/walk-tree.ts';
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
  purge(number: number): void;
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
    const folders = [join(home, 'sessions'), place(number)];
    for (const folder of [...folders, dirname(place(number))]) touched.add(folder);
    moveAll(home, folders, moves);
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
    purge(number) {
      refuseLinks(home, root);
      if (isThere(place(number))) removeAll(place(number));
    },
    async sync() {
      await syncMoves(touched, join(home, 'sessions'));
      touched.clear();
    },
    tidy(numbers) {
      const blocks = new Set(numbers.map((number) => blockPath(root, number)));
      removeEmpty(root, [...numbers.map(place), ...blocks]);
    },
  };
}

/** Folders in their order where they are empty, and the trash of the run once nothing but its manifest is left. */
function removeEmpty(root: string, folders: readonly string[]): void {
  for (const folder of folders) ifPossible(() => rmdirSync(folder));
  if (listNames(root).some((name) => name !== MANIFEST)) return;
  ifPossible(() => rmSync(join(root, MANIFEST), { force: true }));
  ifPossible(() => rmdirSync(root));
}

type Moves = readonly (readonly [from: string, to: string])[];

/** Between these folders, each of which is looked at once for all moves. */
function moveAll(home: string, folders: readonly string[], moves: Moves): void {
  for (const folder of folders) {
    refuseLinks(home, folder);
    makePrivateDir(folder);
  }
  for (const [from, to] of moves) moveBetween(from, to);
}

/** Why a session's files cannot be moved, before anything of it is touched. What is no plain file is not one of them. */
export function fileObstacle(home: string, names: readonly string[]): string | undefined {
  const shared = names.find((name) => (plainFile(join(home, 'sessions', name))?.nlink ?? 1) > 1);
  return shared === undefined ? undefined : `sessions/${shared} has other names, so it is not only ours to move.`;
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
  refuseLinks(home, root);
  makePrivateDir(root);
  addToManifest(root, items);
  // Any of the folders up to the home may be new, and what is in one that a power cut takes away is gone with it.
  for (let folder = root; folder !== dirname(home); folder = dirname(folder)) syncDir(folder);
}

/** A name of our own making below our own trash: nothing else can be there. */
function removeAll(place: string): void {
  for (const entry of walkTree(place)) if (entry.kind === 'unreadable') throw notPurged(place, entry);
  rmSync(place, { recursive: true, force: true });
}

/** Such as another file system that somebody mounted inside: what is on it is not ours. */
function notPurged(place: string, { path, error }: { path: string; error: string }): Failure {
  return new Failure('refused', `${join(place, path)} was not removed: ${error.replace(/\.$/, '')}.`, {
    hint: 'It stays in the trash until that is settled.',
  });
}
