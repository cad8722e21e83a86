import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryHandle } from '../files/directory-handle.ts';
import { removeIn } from '../files/remove-tree.ts';
import { removeLeftoversIn } from './remove-leftovers.ts';
import { temporaryName } from './temporary-name.ts';

export interface TemporaryFolder extends Disposable {
  readonly path: string;
  /** The path of a name in it, for calls of this process alone: whoever puts a link in its place leads them nowhere else. */
  at(name: string): string;
}

/**
 * Makes a folder that only this user can enter, where the machine keeps what is temporary; it goes when it is disposed of. Those
 * that dead processes left under the same prefix go first.
 */
export function temporaryFolder(prefix: string): TemporaryFolder {
  return temporaryFolderIn(tmpdir(), prefix);
}

/** The same in another place that somebody chose. */
export function temporaryFolderIn(place: string, prefix?: string): TemporaryFolder {
  const above = DirectoryHandle.open(place);
  try {
    removeLeftoversIn(above, prefix);
    const name = temporaryName(prefix);
    const folder = above.newFolder(name);
    return {
      path: join(place, name),
      at: (inside) => folder.at(inside),
      [Symbol.dispose]() {
        using _above = above;
        folder[Symbol.dispose]();
        removeIn(above, name);
      },
    };
  } catch (error) {
    above[Symbol.dispose]();
    throw error;
  }
}
