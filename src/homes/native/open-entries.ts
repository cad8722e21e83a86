import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { obstacleOf } from '../../platform/error-sentence.ts';
import { DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { walkTree } from '../../platform/files/walk-tree.ts';
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
  const { root, config, database, lock, live, ballast, token, tokens, pageKey, audit, sessions, plans, archive } =
    layout;
  const trash = dirname(layout.trash('run'));
  for (const path of [
    root,
    config,
    database,
    lock,
    live,
    ballast,
    token,
    tokens,
    pageKey,
    audit,
    plans,
    trash,
    archive,
    sessions,
  ]) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && (stat.mode & OTHERS) !== 0 && (stat.isFile() || stat.isDirectory()))
      yield { path, directory: stat.isDirectory() };
  }
  for (const folder of [tokens, audit, plans, trash, archive, sessions].filter(isFolder)) {
    for (const entry of walkTree(folder)) {
      if ((entry.kind !== 'file' && entry.kind !== 'dir') || (entry.mode & OTHERS) === 0) continue;
      if (folder === sessions && entry.kind === 'file' && fileKind(entry.path) === 'unknown') continue;
      yield { path: `${folder}/${entry.path}`, directory: entry.kind === 'dir' };
    }
  }
}

/** Folders of a home that are something else, such as a link: what is behind it is neither looked at nor changed. */
export function linkedFolders(layout: NativeLayout): string[] {
  const folders = [
    layout.tokens,
    layout.audit,
    layout.plans,
    dirname(layout.trash('run')),
    layout.archive,
    layout.sessions,
    join(layout.root, 'checkpoints'),
  ];
  return folders.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false);
}

export interface ClosedEntries {
  readonly closed: number;
  /** What stays as it is, with the sentence that says why. */
  readonly left: readonly { readonly path: string; readonly obstacle: string }[];
}

/** Closes what is open to others, the home first. What is a link, or has a name elsewhere, is left alone. */
export function closeEntries(layout: NativeLayout): ClosedEntries {
  const left: { path: string; obstacle: string }[] = [];
  let closed = 0;
  for (const { path, directory } of openEntries(layout)) {
    const obstacle = obstacleOf(() => close(layout.root, path, directory ? DIRECTORY_MODE : FILE_MODE));
    if (obstacle === undefined) closed += 1;
    else left.push({ path, obstacle });
  }
  return { closed, left };
}

function close(root: string, path: string, mode: number): void {
  // The home itself is where somebody chose it to be.
  using folder = path === root ? DirectoryHandle.open(dirname(realpathSync(root))) : openBelow(root, dirname(path));
  folder?.setMode(basename(path === root ? realpathSync(root) : path), mode);
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
