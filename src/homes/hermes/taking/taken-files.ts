import { unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errorCode } from '../../../platform/error-code.ts';
import { type DirectoryHandle, openBelow } from '../../../platform/files/directory-handle.ts';
import { moveBetween } from '../../../platform/files/move-entry.ts';
import { removeTree } from '../../../platform/files/remove-tree.ts';
import { syncAll } from '../../../platform/files/sync-all.ts';
import { blockPath } from './record-book.ts';
import { listTaken, ownFolder, placeFor, type TakenBlock } from './taken-places.ts';

/**
 * The files that one run took out of `sessions/`. Everything here can be asked for twice: what is moved already stays where it is.
 * Each folder is opened once, and what is where is read once, so only whoever holds the lock of the home may open it.
 */
export interface TakenFiles extends Disposable {
  /** Whether anything was moved for an item. */
  knows(number: number): boolean;
  /** The names that files of an item had. */
  names(number: number): readonly string[];
  /** Where a file is, or would be once it was taken. */
  pathOf(number: number, name: string): string;
  /** Moves files out of `sessions/`. Gives the names of those that were taken before. */
  take(number: number, names: readonly string[]): readonly string[];
  /** Moves files back into `sessions/`. */
  bringBack(number: number, names: readonly string[]): void;
  /** Moves the files of an item into a folder of its own, for whoever needs one. */
  gather(number: number): void;
  /** Removes the files of an item for good. */
  purge(number: number): Promise<void>;
  /** Makes the moves survive a power cut. */
  sync(): Promise<void>;
}

/** `root` is the trash of one run; it lies below `home`, so that moving is renaming. */
export function openTakenFiles(home: string, root: string): TakenFiles {
  const sessions = join(home, 'sessions');
  const folders = openFolders(home);
  const touched = new Set<string>();
  const { blockOf, filesOf } = rememberBlocks(root);
  const pathOf = (number: number, name: string) => filesOf(number).get(name) ?? placeFor(root, number, name);
  const move = (from: string, to: string) => {
    for (const folder of [dirname(from), dirname(to)]) {
      touched.add(folder);
      // Any of ours may be new, and what is in one that a power cut takes away is gone with it.
      if (folder !== sessions) touched.add(dirname(folder)).add(root);
    }
    return moveBetween(folders.spot(from), folders.spot(to)) === 'moved';
  };
  return {
    knows: (number) => filesOf(number).size > 0 || blockOf(number).folders.has(number),
    names: (number) => [...filesOf(number).keys()],
    pathOf,
    take(number, wanted) {
      const taken = filesOf(number);
      const before = wanted.filter((name) => taken.has(name));
      for (const name of wanted.filter((each) => !taken.has(each))) {
        const to = placeFor(root, number, name);
        if (move(join(sessions, name), to)) taken.set(name, to);
      }
      return before;
    },
    bringBack(number, wanted) {
      for (const name of wanted) {
        move(pathOf(number, name), join(sessions, name));
        filesOf(number).delete(name);
      }
    },
    gather(number) {
      const folder = ownFolder(root, number);
      for (const [name, from] of filesOf(number)) {
        const to = join(folder, name);
        if (from !== to) move(from, to);
        filesOf(number).set(name, to);
      }
    },
    async purge(number) {
      const folder = ownFolder(root, number);
      const paths = [...filesOf(number).values()];
      for (const path of paths) if (dirname(path) !== folder) await removeFile(home, folders, path);
      if (blockOf(number).folders.has(number) || paths.some((path) => dirname(path) === folder))
        await removeTree(home, folder);
      filesOf(number).clear();
    },
    async sync() {
      await syncMoves(touched, sessions);
      touched.clear();
    },
    [Symbol.dispose]: () => folders[Symbol.dispose](),
  };
}

/** What lies in each block of the trash, looked at once. */
function rememberBlocks(root: string) {
  const blocks = new Map<string, TakenBlock>();
  const blockOf = (number: number) => {
    const path = blockPath(root, number);
    const block = blocks.get(path) ?? listTaken(path);
    blocks.set(path, block);
    return block;
  };
  const filesOf = (number: number) => {
    const { files } = blockOf(number);
    const own = files.get(number) ?? new Map<string, string>();
    files.set(number, own);
    return own;
  };
  return { blockOf, filesOf };
}

interface Folders extends Disposable {
  /** A name in an open folder. The folder is made where there is none. */
  spot(path: string): { readonly folder: DirectoryHandle; readonly name: string };
  /** Lets others have their turn when it has been a while. */
  breathe(): Promise<void>;
}

function openFolders(home: string): Folders {
  const open = new Map<string, DirectoryHandle>();
  let since = performance.now();
  return {
    spot(path) {
      const at = dirname(path);
      const folder = open.get(at) ?? openBelow(home, at, { create: true });
      open.set(at, folder);
      return { folder, name: basename(path) };
    },
    async breathe() {
      if (performance.now() - since < BUSY_MS) return;
      await setImmediate();
      since = performance.now();
    },
    [Symbol.dispose]() {
      for (const folder of open.values()) folder[Symbol.dispose]();
      open.clear();
    },
  };
}

/** So long nothing else in this process runs. */
const BUSY_MS = 5;

/** Files are many and small, so one after the other costs less than handing each to another thread. */
async function removeFile(home: string, folders: Folders, path: string): Promise<void> {
  const { folder, name } = folders.spot(path);
  try {
    unlinkSync(folder.at(name));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EISDIR' || code === 'EPERM') await removeTree(home, path);
    else if (code !== 'ENOENT') throw error;
  }
  await folders.breathe();
}

/** Our folders first: a file must not have left its own for good while the way to where it went is not on the disk. */
async function syncMoves(folders: ReadonlySet<string>, sessions: string): Promise<void> {
  await syncAll([...folders].filter((folder) => folder !== sessions));
  if (folders.has(sessions)) await syncAll([sessions]);
}
