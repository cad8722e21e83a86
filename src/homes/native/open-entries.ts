import { chmodSync, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { walkTree } from '../../platform/walk-tree.ts';
import { fileKind } from './native-files.ts';
import type { NativeLayout } from './native-layout.ts';

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
const OTHERS = 0o077;

export interface OpenEntry {
  readonly path: string;
  readonly directory: boolean;
}

/**
 * What Coppice wrote into a home and other users of the machine could read, from the outside in. Links and files of others are
 * left out, and so are the helper files of SQLite, which take after the database. Windows has no such modes.
 */
export function* openEntries(layout: NativeLayout): Generator<OpenEntry> {
  if (process.platform === 'win32') return;
  const { root, config, database, lock, live, ballast, sessions, plans, archive } = layout;
  const trash = dirname(layout.trash('run'));
  for (const path of [root, config, database, lock, live, ballast, plans, trash, archive, sessions]) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && (stat.mode & OTHERS) !== 0 && (stat.isFile() || stat.isDirectory()))
      yield { path, directory: stat.isDirectory() };
  }
  for (const folder of [plans, trash, archive, sessions]) {
    for (const entry of walkTree(folder)) {
      if ((entry.kind !== 'file' && entry.kind !== 'dir') || (entry.mode & OTHERS) === 0) continue;
      if (folder === sessions && entry.kind === 'file' && fileKind(entry.path) === 'unknown') continue;
      yield { path: `${folder}/${entry.path}`, directory: entry.kind === 'dir' };
    }
  }
}

/**
 * Closes what is open to others, the home first: once nobody else can come in, nobody can put a link in the place of what is
 * closed after it. Files are not opened for it, because the database may be among them. Returns how many there were.
 */
export function closeEntries(layout: NativeLayout): number {
  let closed = 0;
  for (const { path, directory } of openEntries(layout)) {
    chmodSync(path, directory ? DIRECTORY_MODE : FILE_MODE);
    closed += 1;
  }
  return closed;
}
