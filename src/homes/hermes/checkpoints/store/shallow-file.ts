import { linkSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../../../core/failure.ts';
import { MINUTE_MS } from '../../../../core/time.ts';
import { errorCode } from '../../../../platform/error-code.ts';
import { DirectoryHandle } from '../../../../platform/files/directory-handle.ts';
import { writeFileAtomic } from '../../../../platform/files/private-files.ts';
import { readTextIfThere } from '../../../../platform/text/read-text-if-there.ts';

/**
 * The commits at which git stops following a history, as if they had no parents: `shallow` in a repository. Naming one there
 * drops all that came before it, and changes the name of nothing that stays.
 */
export function readShallow(gitDir: string): ReadonlySet<string> {
  return new Set(readTextIfThere(join(gitDir, 'shallow')).split('\n').filter(Boolean));
}

export interface ShallowChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/**
 * Changes it under git's own lock. What is written is on disk before the lock is taken, so that the lock is there for a moment
 * only: a git that finds it gives up at once.
 */
export function changeShallow(gitDir: string, { add = [], remove = [] }: ShallowChange): void {
  using folder = DirectoryHandle.open(gitDir);
  const files = { path: folder.at('shallow'), lock: folder.at('shallow.lock'), draft: folder.at(DRAFT) };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    dropStale(files);
    const before = readTextIfThere(files.path);
    const lines = new Set(before.split('\n').filter(Boolean));
    for (const id of remove) lines.delete(id);
    for (const id of add) lines.add(id);
    const after = [...lines].map((id) => `${id}\n`).join('');
    if (after === before) return;
    writeFileAtomic(files.draft, after);
    if (!swap(files, () => readTextIfThere(files.path) === before)) continue;
    rmSync(files.draft);
    return folder.sync();
  }
  throw new Failure('locked', `${join(gitDir, 'shallow')} is being changed by git at the moment.`, {
    hint: 'Run the same command again in a minute.',
  });
}

const DRAFT = 'shallow.coppice';
const ATTEMPTS = 20;

interface Files {
  readonly path: string;
  readonly lock: string;
  readonly draft: string;
}

/** False when git has the lock, or has changed the file since it was read. */
function swap({ path, lock, draft }: Files, unchanged: () => boolean): boolean {
  try {
    linkSync(draft, lock);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  const mine = unchanged();
  // Without a line git needs no such file, and works better without it.
  if (mine && lstatSync(draft).size === 0) rmSync(path, { force: true });
  else if (mine) renameSync(lock, path);
  rmSync(lock, { force: true });
  return mine;
}

/** What a process that was killed left: our own is known by its draft, and git holds the lock for a moment only. */
function dropStale({ lock, draft }: Files): void {
  const found = lstatSync(lock, { throwIfNoEntry: false });
  if (found === undefined) return;
  const ours = lstatSync(draft, { throwIfNoEntry: false })?.ino === found.ino;
  if (ours || Date.now() - found.mtimeMs > MINUTE_MS) rmSync(lock, { force: true });
}
