import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  lstatSync,
  openSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { writeAll } from '../../platform/files/write-all.ts';
import { ifPossible } from '../../platform/if-possible.ts';
import { temporaryName } from '../../platform/leftovers/temporary-name.ts';
import type { TreeEntry } from '../project/diff-trees.ts';
import { EXECUTABLE, LINK } from './worktree-entry.ts';
import type { Folder } from './worktree-folder.ts';

/** How the names of files begin that wait in a folder of the user to be put in place. */
export const RESTORE_PREFIX = '.coppice-restore';

export interface EntryWrite {
  readonly folder: Folder;
  readonly name: Buffer;
  readonly entry: TreeEntry;
  readonly content: AsyncIterable<Buffer>;
}

/** A file or link that is whole and waits beside its place. Disposing of it removes what was not put in place. */
export interface StagedEntry extends Disposable {
  readonly sizeBytes: number;
  /** Brings its content to the disk. */
  sync(): Promise<void>;
  /** Puts it in place in one step: at no moment is a part of it there, and what fails leaves what was. */
  put(): void;
}

export async function stageEntry({ folder, name, entry, content }: EntryWrite): Promise<StagedEntry> {
  const temporary = folder.at(Buffer.from(temporaryName(RESTORE_PREFIX)));
  let handle: number | undefined;
  let placed = false;
  const drop = () => {
    if (handle !== undefined) closeSync(handle);
    // What cannot be removed now is on record, and the next restore tries again.
    if (!placed) ifPossible(() => unlinkSync(temporary));
  };
  try {
    if (entry.mode === LINK) symlinkSync(await whole(content), temporary);
    else {
      const shape = shapeOf(folder.at(name), entry.mode === EXECUTABLE);
      handle = openSync(temporary, NEW_FILE, shape.firstMode);
      await fill(handle, content);
      if (shape.mode !== undefined) fchmodSync(handle, shape.mode);
    }
    const sizeBytes = handle === undefined ? 0 : fstatSync(handle).size;
    return {
      sizeBytes,
      sync: async () => (handle === undefined ? undefined : promisify(fsync)(handle)),
      put: () => {
        renameSync(temporary, folder.at(name));
        placed = true;
      },
      [Symbol.dispose]: drop,
    };
  } catch (error) {
    drop();
    throw error;
  }
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

interface Shape {
  readonly firstMode: number;
  /** Set once it is written; absent for a new file, which gets what the user's umask allows. */
  readonly mode?: number;
}

/** A file that is replaced keeps its permissions, and is nobody else's to read meanwhile. */
function shapeOf(replaces: Buffer, executable: boolean): Shape {
  const before = lstatSync(replaces, { throwIfNoEntry: false });
  if (before?.isFile() !== true) return { firstMode: executable ? 0o777 : 0o666 };
  return { firstMode: 0o600, mode: withExecutable(before.mode, executable) };
}

async function fill(handle: number, content: AsyncIterable<Buffer>): Promise<void> {
  for await (const piece of content) writeAll(handle, piece);
}

/** The permissions of a file with or without the right to run it: for its owner, and for others who may read it. */
function withExecutable(mode: number, executable: boolean): number {
  const plain = mode & 0o666;
  return executable ? plain | 0o100 | ((plain & 0o444) >> 2) : plain;
}

async function whole(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}
