import { closeSync, constants, fchmodSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../platform/error-code.ts';
import { type FileMark, isStillAt, markFile } from '../../platform/open-file.ts';
import { makePrivateDir } from '../../platform/private-files.ts';

/** Opening and closing a file costs more than writing a line to it, and an agent writes to few sessions at a time. */
const MAX_OPEN = 32;

export interface TranscriptFile {
  readonly handle: number;
  readonly path: string;
}

/**
 * Keeps the transcripts that were written last open. Each use looks at the path again, so that a file that was moved away,
 * replaced or removed meanwhile is never written to.
 */
export class TranscriptHandles implements Disposable {
  readonly #pathOf: (id: string) => string;
  readonly #open = new Map<string, TranscriptFile & { readonly mark: FileMark }>();

  constructor(pathOf: (id: string) => string) {
    this.#pathOf = pathOf;
  }

  /** The transcript of a session as it stands at its path now, created when there is none. Links are not followed. */
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
    const path = this.#pathOf(id);
    const handle = openOrCreate(path);
    const file = { handle, path, mark: markFile(handle) };
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

const OPEN_FLAGS = constants.O_RDWR | constants.O_NOFOLLOW;

function openOrCreate(path: string): number {
  try {
    return openSync(path, OPEN_FLAGS);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  makePrivateDir(dirname(path));
  const handle = openSync(path, OPEN_FLAGS | constants.O_CREAT, 0o600);
  fchmodSync(handle, 0o600);
  return handle;
}
