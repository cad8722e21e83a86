import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeLeftovers } from './remove-leftovers.ts';
import { temporaryName } from './temporary-name.ts';

export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/**
 * Makes a folder that only this user can enter, where the machine keeps what is temporary; it goes when it is disposed of. Those
 * that dead processes left under the same prefix go first.
 */
export function temporaryFolder(prefix: string): TemporaryFolder {
  removeLeftovers(tmpdir(), prefix);
  const path = join(tmpdir(), temporaryName(prefix));
  mkdirSync(path, 0o700);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
