import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
} from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { errorCode } from '../error-code.ts';
import { syncOpenDir } from './private-files.ts';

/** What a file or folder is known by, whatever its name is. */
export interface Identity {
  readonly device: bigint;
  readonly inode: bigint;
}

/**
 * An open folder, and the door to what lies in it. On Linux every name in it is reached through the open folder itself: whoever
 * puts a link in place of it, or of one above it, leads nobody elsewhere. Node has no such way on other systems. There the path is
 * looked at again right before each use, and must still lead to the folder that was opened; see `docs/decisions/0022`.
 */
export class DirectoryHandle implements Disposable {
  /** Where it was when it was opened, for sentences. */
  readonly path: string;
  readonly identity: Identity;
  readonly #handle: number;
  readonly #through: boolean;

  private constructor(path: string, { handle, through }: { handle: number; through: boolean }) {
    this.path = path;
    this.#handle = handle;
    this.#through = through;
    this.identity = identityOf(fstatSync(handle, { bigint: true }));
  }

  /** Opens the folder at a path that somebody chose, so that links on the way to it are as meant. */
  static open(path: string, { through = THROUGH_HANDLES }: { readonly through?: boolean } = {}): DirectoryHandle {
    return new DirectoryHandle(path, { handle: openSync(path, O_RDONLY | O_DIRECTORY), through });
  }

  /** The path of a name in this folder, for one call that does not follow a link at the end of a path. */
  at(name: string): string {
    if (NO_NAME.has(name) || name.includes('/')) throw refused(`${name} is no name in ${this.path}.`);
    if (this.#through) return `/proc/self/fd/${this.#handle}/${name}`;
    const stat = lstatSync(this.path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined || !isSame(identityOf(stat), this.identity)) throw notAFolder(this.path);
    return join(this.path, name);
  }

  names(): string[] {
    return readdirSync(this.#through ? `/proc/self/fd/${this.#handle}` : this.path);
  }

  /** What has this name, a link itself included; undefined when nothing has. */
  look(name: string): Stats | undefined {
    return lstatSync(this.at(name), { throwIfNoEntry: false });
  }

  /** The same, with times to the nanosecond. */
  lookExactly(name: string): BigIntStats | undefined {
    return lstatSync(this.at(name), { bigint: true, throwIfNoEntry: false });
  }

  /** What the folder itself is like, whatever has its name by now. */
  facts(): BigIntStats {
    return fstatSync(this.#handle, { bigint: true });
  }

  /** The folder of this name, undefined when there is none. A link, or anything else, is refused. */
  folder(name: string): DirectoryHandle | undefined {
    const path = join(this.path, name);
    try {
      const handle = openSync(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      return new DirectoryHandle(path, { handle, through: this.#through });
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw NO_FOLDER.has(errorCode(error)) ? notAFolder(path) : error;
    }
  }

  /** The same, made where nothing has the name: 0700 whatever the umask. */
  madeFolder(name: string): DirectoryHandle {
    const there = this.folder(name);
    if (there !== undefined) return there;
    try {
      mkdirSync(this.at(name), 0o700);
    } catch (error) {
      // Another process may have been faster, and that is as good.
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    return this.#private(name);
  }

  /** A folder that was not there before, 0700 whatever the umask. Fails where anything has the name. */
  newFolder(name: string): DirectoryHandle {
    mkdirSync(this.at(name), 0o700);
    return this.#private(name);
  }

  #private(name: string): DirectoryHandle {
    const made = this.folder(name);
    if (made === undefined) throw notAFolder(join(this.path, name));
    fchmodSync(made.#handle, 0o700);
    return made;
  }

  /**
   * Gives a file or folder in here a mode. Never one behind a link, and none that has a name elsewhere. It is not opened as files
   * are, because closing a database that SQLite has open would take its locks away.
   */
  setMode(name: string, mode: number): void {
    if (!this.#through) {
      refuseShared(join(this.path, name), this.look(name));
      return chmodSync(this.at(name), mode);
    }
    const handle = openSync(this.at(name), O_PATH | O_NOFOLLOW);
    try {
      refuseShared(join(this.path, name), fstatSync(handle));
      chmodSync(`/proc/self/fd/${handle}`, mode);
    } finally {
      closeSync(handle);
    }
  }

  /** Gives the folder itself a mode and a time. */
  setFacts({ mode, modifiedAtSeconds }: { readonly mode: number; readonly modifiedAtSeconds: number }): void {
    fchmodSync(this.#handle, mode);
    futimesSync(this.#handle, modifiedAtSeconds, modifiedAtSeconds);
  }

  /** Makes new, renamed and removed names in it survive a power cut, where the system can. */
  sync(): void {
    syncOpenDir(this.#handle);
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle);
  }
}

/** Where a folder is to be found: below `root`, which somebody chose. */
export interface BelowOptions {
  /** Makes the folders that are missing. */
  readonly create?: boolean;
}

/** Opens a folder below `root`, through real folders only; undefined when one of them is missing. */
export function openBelow(root: string, path: string, options: BelowOptions & { create: true }): DirectoryHandle;
export function openBelow(root: string, path: string, options?: BelowOptions): DirectoryHandle | undefined;
export function openBelow(root: string, path: string, { create = false }: BelowOptions = {}) {
  const names = relative(root, path).split(sep).filter(Boolean);
  if (names.includes('..')) throw notAFolder(path);
  if (!create && !existsSync(root)) return undefined;
  let folder: DirectoryHandle | undefined = DirectoryHandle.open(root);
  for (const name of names) {
    using outer: DirectoryHandle = folder;
    folder = create ? outer.madeFolder(name) : outer.folder(name);
    if (folder === undefined) return undefined;
  }
  return folder;
}

export function isSame(one: Identity, other: Identity): boolean {
  return one.device === other.device && one.inode === other.inode;
}

function identityOf({ dev, ino }: BigIntStats): Identity {
  return { device: dev, inode: ino };
}

function refuseShared(path: string, stat: Stats | undefined): void {
  if (stat?.isDirectory() === true || (stat?.isFile() === true && stat.nlink === 1)) return;
  throw refused(`${path} is a link or has other names, so it is not only ours to change.`);
}

function notAFolder(path: string): Failure {
  return refused(
    `${path} is a link or no folder of this home.`,
    'It was left as it is. Put the folder itself there, or move away what is there: coppice doctor says what else is such a link.',
  );
}

function refused(sentence: string, hint = 'It was left as it is.'): Failure {
  return new Failure('refused', sentence, { hint });
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** Of Linux, for which alone it is used: opens the name and not the file. */
const O_PATH = 0o10000000;
const THROUGH_HANDLES = process.platform === 'linux' && existsSync('/proc/self/fd');
const NO_NAME = new Set(['', '.', '..']);
const NO_FOLDER: ReadonlySet<string | undefined> = new Set(['ENOTDIR', 'ELOOP']);
