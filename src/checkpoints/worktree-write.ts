import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { TreeEntry } from './diff-trees.ts';
import { EXECUTABLE, LINK } from './worktree-entry.ts';
import type { Folder } from './worktree-folder.ts';

export interface EntryWrite {
  readonly folder: Folder;
  readonly name: Buffer;
  readonly entry: TreeEntry;
  readonly content: AsyncIterable<Buffer>;
}

/** Puts a file or link in place in one step: at no moment is a part of it there, and what fails leaves what was. */
export async function writeEntry({ folder, name, entry, content }: EntryWrite): Promise<void> {
  dropTemporary(folder, name);
  const temporary = folder.at(temporaryName(name));
  try {
    if (entry.mode === LINK) symlinkSync(await whole(content), temporary);
    else await writeTemporary(temporary, content, { executable: entry.mode === EXECUTABLE, replaces: folder.at(name) });
    renameSync(temporary, folder.at(name));
  } catch (error) {
    dropTemporary(folder, name);
    throw error;
  }
}

/** Removes what a restore that was killed half-way through this file left beside it. */
export function dropTemporary(folder: Folder, name: Buffer): void {
  const temporary = temporaryName(name);
  // Asked first: file systems make a removal wait for others even when there is nothing to remove.
  if (!folder.lacks(temporary)) unlinkSync(folder.at(temporary));
}

/** The same for the same file, so that what a kill left behind is found again. */
function temporaryName(name: Buffer): Buffer {
  return Buffer.from(`.coppice-restore-${hash('sha256', name, 'hex').slice(0, 32)}`);
}

interface Shape {
  readonly executable: boolean;
  /** The file that goes, whose permissions stay. */
  readonly replaces: Buffer;
}

async function writeTemporary(temporary: Buffer, content: AsyncIterable<Buffer>, shape: Shape): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const before = lstatSync(shape.replaces, { throwIfNoEntry: false });
  const known = before?.isFile() === true ? withExecutable(before.mode, shape.executable) : undefined;
  // A new file gets what the user's umask allows; one that is replaced is nobody else's to read meanwhile.
  const mode = known === undefined ? (shape.executable ? 0o777 : 0o666) : 0o600;
  const handle = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    for await (const piece of content) {
      for (let done = 0; done < piece.length; ) done += writeSync(handle, piece, done);
    }
    if (known !== undefined) fchmodSync(handle, known);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
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
