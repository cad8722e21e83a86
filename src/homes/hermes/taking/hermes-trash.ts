import { rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RunItem } from '../../../core/retention/run.ts';
import { isWritableFolder } from '../../../platform/files/is-writable-folder.ts';
import { openBelow } from '../../../platform/files/directory-handle.ts';
import { isThere } from '../../../platform/files/is-there.ts';
import { syncDir } from '../../../platform/files/private-files.ts';
import { ifPossible } from '../../../platform/if-possible.ts';
import { addToManifest, isManifest, removeManifest } from '../../../platform/leftovers/run-manifest.ts';
import type { SeenFile } from '../sessions/session-files.ts';
import { blockPath, openRecordBook, type RecordBook } from './record-book.ts';
import { openTakenFiles, type TakenFiles } from './taken-files.ts';
import { ownFolder, ownFolders, sharedFolder } from './taken-places.ts';

/**
 * What one run took out of a Hermes home: the rows of its sessions in a few large files, and their files in a few folders.
 * Everything here can be asked for twice: what is moved already stays where it is.
 */
export interface HermesTrash extends Disposable {
  readonly records: RecordBook;
  readonly files: Pick<TakenFiles, 'names' | 'pathOf' | 'take' | 'purge' | 'sync'>;
  /** Whether a step was begun for an item before, such as one that a crash cut short. */
  knows(number: number): boolean;
  /** Writes down what is about to be taken, for people who have only the files. Durable. */
  note(items: readonly RunItem[]): void;
  /** Brings files back. False when something stands where one of them was; then all of them stay. */
  bringBack(number: number): boolean;
  /** Brings back what nothing stands in the way of. */
  letGo(number: number): void;
  /** Takes away the empty folders of items that have left, and the run's own once nothing is left in it. */
  tidy(numbers: readonly number[]): void;
}

/** `root` is the trash of one run; it lies below `home`, so that moving is renaming. */
export function openHermesTrash(home: string, root: string): HermesTrash {
  const records = openRecordBook(home, root);
  const files = openTakenFiles(home, root);
  const isFree = (name: string) => !isThere(join(home, 'sessions', name));
  return {
    records,
    files,
    knows: (number) => records.has(number) || files.knows(number),
    note: (items) => writeManifest(home, root, items),
    bringBack(number) {
      const taken = files.names(number);
      if (!taken.every(isFree)) return false;
      files.bringBack(number, taken);
      return true;
    },
    letGo: (number) => files.bringBack(number, files.names(number).filter(isFree)),
    tidy: (numbers) => removeEmpty(home, root, numbers),
    [Symbol.dispose]() {
      records[Symbol.dispose]();
      files[Symbol.dispose]();
    },
  };
}

/** Folders of items where they are empty, those of their blocks, and the trash of the run once only its manifest is left. */
function removeEmpty(home: string, root: string, numbers: readonly number[]): void {
  const wanted = new Set(numbers);
  for (const block of new Set(numbers.map((number) => blockPath(root, number)))) {
    const own = [...ownFolders(block)].filter((number) => wanted.has(number)).map((number) => ownFolder(root, number));
    for (const folder of [...own, sharedFolder(block), block]) ifPossible(() => removeFolder(home, folder));
  }
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

/** Why a session's files cannot be moved, before anything of it is touched. What is no plain file is not one of them. */
export function fileObstacle(home: string, files: readonly SeenFile[]): string | undefined {
  if (files.length > 0 && !isWritableFolder(join(home, 'sessions')))
    return 'The folder sessions of the home may not be written, so its files could not go with it.';
  const shared = files.find(({ stat }) => (stat?.nlink ?? 1) > 1);
  return shared === undefined ? undefined : `sessions/${shared.name} has other names, so it is not only ours to move.`;
}

function writeManifest(home: string, root: string, items: readonly RunItem[]): void {
  using trash = openBelow(home, root, { create: true });
  addToManifest(trash, items);
  // Any of the folders up to the home may be new, and what is in one that a power cut takes away is gone with it.
  for (let folder = root; folder !== dirname(home); folder = dirname(folder)) syncDir(folder);
}
