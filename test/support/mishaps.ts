import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** Everything that a daemon has open or uses, by its name in the home; the home itself has none. */
export const USED_NAMES = [
  '',
  'state.db',
  'state.db-wal',
  'state.db-shm',
  'live.db',
  'live.db-wal',
  'live.db-shm',
  'serve.lock.db',
  'lock.db',
  'config.yaml',
  'token',
  'tokens',
  'audit',
  'ballast',
  'plans',
  'trash',
  'archive',
  'checkpoints',
  'sessions',
] as const;

export type UsedName = (typeof USED_NAMES)[number];

/** What happens to a file or folder that somebody has open, as another process would do it. */
export const MISHAPS = {
  removed: remove,
  'moved away': (path: string) => existsSync(path) && renameSync(path, `${path}.${freeNumber(path)}`),
  'replaced by what it is not': swap,
  'made unreadable': (path: string) => existsSync(path) && chmodSync(path, 0),
  damaged: (path: string) => eachFile(path, overwrite),
  emptied: (path: string) => eachFile(path, (file) => truncateSync(file)),
} as const;

export type MishapName = keyof typeof MISHAPS;

/** Out of the way first: somebody may add to it meanwhile. */
function remove(path: string): void {
  if (!existsSync(path)) return;
  const gone = `${path}.gone`;
  renameSync(path, gone);
  rmSync(gone, { recursive: true, force: true, maxRetries: 20 });
}

function freeNumber(path: string): number {
  let number = 1;
  while (existsSync(`${path}.${number}`)) number += 1;
  return number;
}

/** A file becomes a folder, a folder a file. */
function swap(path: string): void {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  // Whoever uses it may have made it anew before the other is there.
  for (let isDone = false; !isDone; ) {
    remove(path);
    isDone = ifPossible(() => (isFolder ? writeFileSync(path, 'no folder any more') : mkdirSync(path)));
  }
}

function ifPossible(make: () => void): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

/** In place: whoever has it open reads something else from now on. */
function overwrite(path: string): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(Math.max(100, statSync(path).size), 'damaged '));
  closeSync(file);
}

function eachFile(path: string, act: (file: string) => void): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) act(path);
  if (found?.isDirectory() !== true) return;
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) act(join(entry.parentPath, entry.name));
}
