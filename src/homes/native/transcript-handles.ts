import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../platform/error-code.ts';
import { makePrivateDir } from '../../platform/private-files.ts';

export interface OpenTranscript {
  readonly path: string;
  readonly handle: number;
  readonly sizeBytes: number;
}

/** Opening a file costs more than writing a line to it, and an agent writes to few sessions at a time. */
const MAX_OPEN = 32;

interface Known {
  readonly handle: number;
  readonly device: number;
  readonly inode: number;
}

/**
 * Keeps the transcripts that were written last open. Each use looks at the path again, so that a file that was moved away,
 * replaced or removed meanwhile is never written to.
 */
export class TranscriptHandles implements Disposable {
  readonly #known = new Map<string, Known>();

  /** The file that stands at this path now, created when there is none. Links are not followed. */
  open(path: string): OpenTranscript {
    const known = this.#known.get(path);
    if (known !== undefined) {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      this.#known.delete(path);
      if (stat?.ino === known.inode && stat.dev === known.device) {
        this.#known.set(path, known);
        return { path, handle: known.handle, sizeBytes: stat.size };
      }
      closeSync(known.handle);
    }
    return this.#openAnew(path);
  }

  [Symbol.dispose](): void {
    for (const { handle } of this.#known.values()) closeSync(handle);
    this.#known.clear();
  }

  #openAnew(path: string): OpenTranscript {
    const handle = openOrCreate(path);
    const { ino, dev, size } = fstatSync(handle);
    this.#known.set(path, { handle, inode: ino, device: dev });
    const [oldest] = this.#known;
    if (oldest !== undefined && this.#known.size > MAX_OPEN) {
      this.#known.delete(oldest[0]);
      closeSync(oldest[1].handle);
    }
    return { path, handle, sizeBytes: size };
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
