import { basename, join } from 'node:path';
import { listNames } from '../../../platform/files/list-names.ts';
import { blockPath } from './record-book.ts';

/**
 * Where the trash of a run has the files of its items. Those of a whole block are in one folder, each under the number of its
 * item and the name it had, so that a few folders are opened, synced and removed for thousands of files. An item has a folder of
 * its own where that name would be too long, where an archive brought its files, and where an older version took them.
 */
export interface TakenBlock {
  /** By the numbers of items: the paths of files by the names they had. */
  readonly files: Map<number, Map<string, string>>;
  /** Items that have a folder of their own, empty ones included. */
  readonly folders: ReadonlySet<number>;
}

/** What is in the folder of a block now. */
export function listTaken(block: string): TakenBlock {
  const files: TakenBlock['files'] = new Map();
  const add = (number: number, name: string, path: string) => {
    const own = files.get(number) ?? new Map<string, string>();
    files.set(number, own.set(name, path));
  };
  for (const entry of listNames(join(block, SHARED))) {
    const [, number, name] = /^(\d+)\.(.+)$/s.exec(entry) ?? [];
    if (number !== undefined && name !== undefined) add(Number(number), name, join(block, SHARED, entry));
  }
  const folders = ownFolders(block);
  for (const number of folders) {
    const folder = join(block, String(number));
    for (const name of listNames(folder)) add(number, name, join(folder, name));
  }
  return { files, folders };
}

/** The items of a block that have a folder of their own. */
export function ownFolders(block: string): ReadonlySet<number> {
  return new Set(
    listNames(block)
      .filter((name) => /^[1-9]\d*$/.test(name))
      .map(Number),
  );
}

/** The folder that an item has to itself, if it has one. */
export function ownFolder(root: string, number: number): string {
  return join(blockPath(root, number), String(number));
}

/** The folder that the items of a block share. */
export function sharedFolder(block: string): string {
  return join(block, SHARED);
}

/** Where a file goes that is taken now. */
export function placeFor(root: string, number: number, name: string): string {
  const shared = join(sharedFolder(blockPath(root, number)), `${number}.${name}`);
  return Buffer.byteLength(basename(shared)) <= MOST_BYTES ? shared : join(ownFolder(root, number), name);
}

const SHARED = 'files';
/** No file system that people keep their homes on allows longer names. */
const MOST_BYTES = 255;
