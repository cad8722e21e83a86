import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { errorCode } from '../../platform/error-code.ts';
import { type DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { type FileMark, isStillAt, markFile } from '../../platform/files/open-file.ts';
import type { NativeLayout } from './native-layout.ts';

/** Opening and closing a file costs more than writing a line to it, and an agent writes to few sessions at a time. */
const MAX_OPEN = 32;

export interface TranscriptFile {
  readonly handle: number;
  readonly path: string;
  /** Opens the folder that it is in. */
  readonly openFolder: () => DirectoryHandle;
}

/**
 * Keeps the transcripts that were written last open. Each use looks at the path again, so that a file that was moved away,
 * replaced or removed meanwhile is never written to.
 */
export class TranscriptHandles implements Disposable {
  readonly #layout: NativeLayout;
  readonly #open = new Map<string, TranscriptFile & { readonly mark: FileMark }>();

  constructor(layout: NativeLayout) {
    this.#layout = layout;
  }

  /**
   * The transcript of a session as it stands at its path now, created when there is none. It is reached through real folders of the
   * home alone, and is a file that has no other name: whatever else stands there may be somebody's, and is refused.
   */
  open(id: string): TranscriptFile {
    const known = this.#open.get(id);
    if (known !== undefined) {
      // A Map remembers the order in which keys were set, so what was used last is kept longest.
      this.#open.delete(id);
      if (isStillAt(known.path, known.handle, known.mark)) {
        this.#open.set(id, known);
        return known;
      }
      closeSync(known.handle);
    }
    const path = this.#layout.transcript(id);
    const openFolder = () => openBelow(this.#layout.root, dirname(path), { create: true });
    const handle = openOwn(openFolder, path);
    const file = { handle, path, openFolder, mark: markFile(handle) };
    this.#open.set(id, file);
    this.#closeOldest();
    return file;
  }

  [Symbol.dispose](): void {
    for (const { handle } of this.#open.values()) closeSync(handle);
    this.#open.clear();
  }

  #closeOldest(): void {
    const [oldest] = this.#open;
    if (oldest === undefined || this.#open.size <= MAX_OPEN) return;
    this.#open.delete(oldest[0]);
    closeSync(oldest[1].handle);
  }
}

const OPEN_FLAGS = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function openOwn(openFolder: () => DirectoryHandle, path: string): number {
  using folder = openFolder();
  const handle = openOrCreate(folder.at(basename(path)));
  const stat = fstatSync(handle);
  if (stat.isFile() && stat.nlink === 1) return handle;
  closeSync(handle);
  throw new Failure('refused', `${path} is not a plain file, or has other names, so it is not only ours to write.`);
}

function openOrCreate(path: string): number {
  try {
    return openSync(path, OPEN_FLAGS);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  try {
    const handle = openSync(path, OPEN_FLAGS | constants.O_CREAT | constants.O_EXCL, 0o600);
    fchmodSync(handle, 0o600);
    return handle;
  } catch (error) {
    // What somebody put there meanwhile keeps its mode, whatever it is.
    if (errorCode(error) === 'EEXIST') return openSync(path, OPEN_FLAGS);
    throw error;
  }
}
