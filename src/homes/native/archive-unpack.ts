import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  futimesSync,
  mkdirSync,
  openSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { syncDir } from '../../platform/private-files.ts';
import { writeAll } from '../../platform/write-all.ts';
import { type ArchiveData, type ArchiveEntry, dataBytes } from './archive-entries.ts';

/** Writes the files of an archived session into a directory that does not exist yet. Durable once it is finished. */
export class ArchiveUnpack implements Disposable {
  readonly #directory: string;
  readonly #folders: ArchiveEntry[] = [];
  #file: { readonly entry: ArchiveEntry; readonly handle: number; sizeBytes: number } | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Takes the lines of an archive that are about files, in their order. */
  take(line: ArchiveEntry | ArchiveData): void {
    if (line.kind === 'data') {
      if (this.#file !== undefined)
        this.#file.sizeBytes += writeAll(this.#file.handle, dataBytes(line), this.#file.sizeBytes);
      return;
    }
    this.#finishFile();
    const path = join(this.#directory, line.path);
    if (line.kind === 'folder') {
      mkdirSync(path, 0o700);
      this.#folders.push(line);
    } else {
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      this.#file = {
        entry: line,
        handle: openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600),
        sizeBytes: 0,
      };
    }
  }

  /** Folders get their mode and time last: writing into them changes the one and may need another. */
  finish(): void {
    this.#finishFile();
    for (const { path, mode, modifiedAtUs } of this.#folders.toReversed()) {
      const folder = join(this.#directory, path);
      syncDir(folder);
      chmodSync(folder, mode);
      utimesSync(folder, seconds(modifiedAtUs), seconds(modifiedAtUs));
    }
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file.handle);
    this.#file = undefined;
  }

  #finishFile(): void {
    if (this.#file === undefined) return;
    const { entry, handle } = this.#file;
    fchmodSync(handle, entry.mode);
    futimesSync(handle, seconds(entry.modifiedAtUs), seconds(entry.modifiedAtUs));
    fsyncSync(handle);
    this[Symbol.dispose]();
  }
}

/** Fractions of seconds are cut off somewhere below a microsecond, so the middle of it is aimed at. */
function seconds(us: number): number {
  return (us + 0.4) / 1e6;
}
