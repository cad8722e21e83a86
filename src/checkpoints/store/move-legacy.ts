import { existsSync, lstatSync, readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { type Moved, moveEntry } from '../../platform/files/move-entry.ts';
import { isTemporaryName } from '../../platform/leftovers/temporary-name.ts';
import type { StoreLayout } from './store-layout.ts';

export const LEGACY = /^legacy-\d{8}-\d{6}$/;

/**
 * Moves repositories of older layouts into one `legacy-<time>` folder: one per working directory, or a store of another
 * program. Only what is a git repository moves; anything else stays where it is. What cannot be moved is no obstacle: it is
 * shown as it lies. One process at a time may do this.
 */
export function moveLegacy(root: string, names: readonly string[], now: EpochMs): void {
  if (names.length === 0) return;
  const legacy = join(root, `legacy-${isoTime(now).slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`);
  const home = dirname(root);
  using above = openBelow(home, root, { create: true });
  using folder = above.madeFolder(basename(legacy));
  const moved = names.map((name) => moveIfPossible(home, join(root, name), join(legacy, name)));
  if (!moved.includes('moved') && folder.names().length === 0) rmdirSync(above.at(basename(legacy)));
  else folder.sync();
  above.sync();
}

/** The repositories in the folder of checkpoints itself, a store included, whosever it is. */
export function findRepositories(root: string): string[] {
  if (!existsSync(root)) return [];
  const names = readdirSync(root).filter((name) => !isTemporaryName(name) && !LEGACY.test(name));
  return names.filter((name) => isRepository(join(root, name)));
}

/** Those of an older layout, which has one for each working directory. */
export function findShadows({ root, gitDir }: Pick<StoreLayout, 'root' | 'gitDir'>): string[] {
  return findRepositories(root).filter((name) => name !== basename(gitDir));
}

function moveIfPossible(home: string, from: string, to: string): Moved | 'stays' {
  try {
    return moveEntry(home, from, to);
  } catch (error) {
    if (!(error instanceof Failure) && errorCode(error) === undefined) throw error;
    return 'stays';
  }
}

function isRepository(path: string): boolean {
  const isDir = (name: string) => lstatSync(join(path, name), { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isDir('') && existsSync(join(path, 'HEAD')) && isDir('objects');
}
