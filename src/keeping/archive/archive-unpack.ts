import { closeSync, constants, fchmodSync, fsyncSync, futimesSync, openSync } from 'node:fs';
import { posix } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { writeAll } from '../../platform/files/write-all.ts';
import { type ArchiveData, type ArchiveEntry, dataBytes } from './archive-entries.ts';

/** Where the files of an archived session go: a folder that is open, and a name in it that nothing has. */
export interface UnpackPlace {
  readonly above: DirectoryHandle;
  readonly name: string;
}

/**
 * Writes the files of an archived session into a folder that does not exist yet. Durable once it is finished. The folders on the way
 * to what is written are held open, so whoever puts a link in place of one leads nothing elsewhere.
 */
export class ArchiveUnpack implements Disposable {
  readonly #place: UnpackPlace;
  /** From the outermost to the one that is being filled: an archive holds a folder, then all that is in it. */
  readonly #folders: { readonly entry: ArchiveEntry; readonly handle: DirectoryHandle }[] = [];
  #file: { readonly entry: ArchiveEntry; readonly handle: number; sizeBytes: number } | undefined;

  constructor(place: UnpackPlace) {
    this.#place = place;
  }

  /** Takes the lines of an archive that are about files, in their order. */
  take(line: ArchiveEntry | ArchiveData): void {
    if (line.kind === 'data') {
      if (this.#file !== undefined)
        this.#file.sizeBytes += writeAll(this.#file.handle, dataBytes(line), this.#file.sizeBytes);
      return;
    }
    this.#finishFile();
    const { above, name } = this.#spotOf(line);
    if (line.kind === 'folder') {
      this.#folders.push({ entry: line, handle: above.newFolder(name) });
    } else {
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      const handle = openSync(above.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      this.#file = { entry: line, handle, sizeBytes: 0 };
    }
  }

  finish(): void {
    this.#finishFile();
    this.#finishFolders(0);
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file.handle);
    this.#file = undefined;
    for (const { handle } of this.#folders.splice(0)) handle[Symbol.dispose]();
  }

  #spotOf({ path }: ArchiveEntry): UnpackPlace {
    if (path === TOP && this.#folders.length === 0) return this.#place;
    const outer = posix.dirname(path);
    const depth = this.#folders.findIndex(({ entry }) => entry.path === outer);
    this.#finishFolders(depth + 1);
    const above = this.#folders.at(-1)?.handle;
    if (path === TOP || above === undefined)
      throw new Failure('integrity', `The archive has ${path}, and not the folder that it is in.`);
    return { above, name: posix.basename(path) };
  }

  /** Folders get their mode and time last: writing into them changes the one and may need another. */
  #finishFolders(depth: number): void {
    for (const { entry, handle } of this.#folders.splice(depth).toReversed()) {
      using folder = handle;
      folder.sync();
      folder.setFacts({ mode: entry.mode, modifiedAtSeconds: seconds(entry.modifiedAtUs) });
    }
  }

  #finishFile(): void {
    if (this.#file === undefined) return;
    const { entry, handle } = this.#file;
    fchmodSync(handle, entry.mode);
    futimesSync(handle, seconds(entry.modifiedAtUs), seconds(entry.modifiedAtUs));
    fsyncSync(handle);
    this.#file = undefined;
    closeSync(handle);
  }
}

/** The path of the session's own folder. */
const TOP = '.';

/** Fractions of seconds are cut off somewhere below a microsecond, so the middle of it is aimed at. */
function seconds(us: number): number {
  return (us + 0.4) / 1e6;
}
