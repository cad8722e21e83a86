import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type EpochMs, isoTime } from '../core/time.ts';
import { moveEntry } from '../platform/move-entry.ts';
import { makePrivateDir, syncDir } from '../platform/private-files.ts';
import type { StoreLayout } from './store-layout.ts';

export const LEGACY = /^legacy-\d{8}-\d{6}$/;

/**
 * Moves repositories of older layouts into one `legacy-<time>` folder: one per working directory, or a store of another
 * program. Only what is a git repository moves; anything else stays where it is.
 */
export function moveLegacy({ root }: StoreLayout, now: EpochMs): void {
  const found = existsSync(root) ? readdirSync(root).filter((name) => isRepository(join(root, name))) : [];
  if (found.length === 0) return;
  const legacy = join(root, `legacy-${isoTime(now).slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`);
  makePrivateDir(legacy);
  for (const name of found) moveEntry(root, join(root, name), join(legacy, name));
  syncDir(legacy);
  syncDir(root);
}

function isRepository(path: string): boolean {
  const isDir = (name: string) => lstatSync(join(path, name), { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isDir('') && existsSync(join(path, 'HEAD')) && isDir('objects');
}
