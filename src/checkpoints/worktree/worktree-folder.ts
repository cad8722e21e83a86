import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { errorCode } from '../../platform/error-code.ts';
import { syncOpenDir } from '../../platform/files/private-files.ts';
import type { FileId } from '../store/project-book.ts';
import { fileIdOf, sameFile } from '../project/locate-workdir.ts';

/**
 * An open folder of a working directory. On Linux what lies in it is reached through the open folder itself: whoever puts a link
 * in place of it, or of one above it, leads nobody elsewhere. Other systems have no such way in Node, so there the path must still
 * lead to the folder that was opened, right before each use.
 */
export class Folder implements Disposable {
  /** Which folder it is, whatever its name is by now. */
  readonly id: FileId;
  readonly #base: Buffer;
  readonly #handle: number;
  readonly #through: boolean;

  constructor(path: Buffer | string, { through = THROUGH_HANDLES }: { readonly through?: boolean } = {}) {
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
    this.#handle = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    this.#through = through;
    this.#base = Buffer.from(through ? `/proc/self/fd/${this.#handle}` : path);
    this.id = fileIdOf(fstatSync(this.#handle, { bigint: true }));
  }

  /** Where a name in this folder is, for one system call. The last name of a path is never followed by whoever uses it. */
  at(name: Buffer): Buffer {
    if (!this.#through && !this.isAt(this.#base)) throw replaced(this.#base);
    return Buffer.concat([this.#base, SLASH, name]);
  }

  /** Whether a path leads to it now, and not through a link at its end. */
  isAt(path: Buffer | string): boolean {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stat !== undefined && sameFile(fileIdOf(stat), this.id);
  }

  /** The folder of this name; `undefined` when there is none, or a link or a file instead. */
  open(name: Buffer): Folder | undefined {
    const path = this.at(name);
    try {
      return new Folder(path, { through: this.#through });
    } catch (error) {
      if (!NO_FOLDER.has(errorCode(error) ?? '')) throw error;
      return undefined;
    }
  }

  make(name: Buffer): void {
    mkdirSync(this.at(name));
  }

  /** True when nothing has this name. */
  lacks(name: Buffer): boolean {
    return lstatSync(this.at(name), { throwIfNoEntry: false }) === undefined;
  }

  /** What lies in it. */
  names(): Buffer[] {
    return readdirSync(this.#base, 'buffer');
  }

  /** Makes new, renamed and removed names in it survive a power cut, where the system can. */
  sync(): void {
    syncOpenDir(this.#handle);
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle);
  }
}

const THROUGH_HANDLES = process.platform === 'linux' && existsSync('/proc/self/fd');
const SLASH = Buffer.from('/');
const NO_FOLDER = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

function replaced(path: Buffer): Failure {
  return new Failure('refused', `${path.toString()} was moved or replaced meanwhile.`, {
    hint: 'Nothing more was changed. Put it back in its place, then run the same command again.',
  });
}

/** The folder that holds a path, and the path's last name. */
export interface Place extends Disposable {
  /** `undefined` when a folder on the way is missing, or is a link or a file. */
  readonly folder: Folder | undefined;
  readonly name: Buffer;
}

/** Walks from the working directory to the folder of a path, through real folders only. */
export function openPlace(root: Folder, path: Buffer, { create }: { create: boolean }): Place {
  const names = splitPath(path);
  const name = names.pop() ?? path;
  const folder = walk(root, names, create);
  return {
    folder,
    name,
    [Symbol.dispose]() {
      if (folder !== root) folder?.[Symbol.dispose]();
    },
  };
}

function walk(root: Folder, names: readonly Buffer[], create: boolean): Folder | undefined {
  let folder: Folder | undefined = root;
  for (const name of names) {
    const outer: Folder = folder;
    try {
      if (create && outer.lacks(name)) outer.make(name);
      folder = outer.open(name);
    } finally {
      if (outer !== root) outer[Symbol.dispose]();
    }
    if (folder === undefined) return undefined;
  }
  return folder;
}

/** The names of a path. A path that git wrote has no `..`; one that does comes from a damaged store and leads nowhere. */
function splitPath(path: Buffer): Buffer[] {
  const names = path.toString('latin1').split('/');
  if (names.some((name) => ['', '.', '..'].includes(name))) {
    throw new Failure('integrity', `The checkpoint store holds a path that cannot be: ${path.toString()}`, {
      hint: 'Look at the store with: coppice checkpoints verify',
    });
  }
  return names.map((name) => Buffer.from(name, 'latin1'));
}
