import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, copyFileSync, existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { errorCode } from '../error-code.ts';
import { temporaryFolder } from '../leftovers/temporary-folder.ts';

/*
 * How a database that nobody has open is read without a file that stays beside it. SQLite does so by itself where it understands
 * `file:` addresses, which is settled for a whole process by `SQLITE_USE_URI=1` in its environment before its first database.
 * The program `coppice` says so of its own process. What a host program says of its process is not ours to change, so there are
 * two more ways, and none of them needs anything of the host.
 */

export interface AtRest {
  readonly db: Database;
  /** Somebody who writes meanwhile does not wait for it, and is only seen by the size and times of the file. */
  readonly unlocked: boolean;
}

/** Opens a database that lies at rest for reading. Leaves no file, and changes none. */
export function openAtRest(path: string, timeout: number): AtRest {
  const addressed = openAddress(path, ['mode=ro', 'immutable=1'], timeout);
  if (addressed !== undefined) return { db: addressed, unlocked: true };
  // Where nothing can be written beside it, a copy is read.
  return mayOnlyRead(path)
    ? { db: openCopy(path, timeout), unlocked: true }
    : { db: openAsGuest(path, timeout), unlocked: false };
}

/** Opens a database that is in use for reading, and writes nothing to the memory that its processes share, where that can be said. */
export function openInUse(path: string, timeout: number): Database {
  return openAddress(path, ['mode=ro', 'readonly_shm=1'], timeout) ?? openProbed(path, { readonly: true, timeout });
}

/** Undefined where SQLite takes no address in this process, or cannot open it in this way. */
function openAddress(path: string, how: readonly string[], timeout: number): Database | undefined {
  try {
    return openProbed(`${pathToFileURL(path).href}?${how.join('&')}`, { readonly: true, timeout });
  } catch (error) {
    if (!/^SQLITE_(CANTOPEN|READONLY)/.test(errorCode(error) ?? '')) throw error;
    return undefined;
  }
}

/** Opening reads nothing yet, so one small question shows whether this way of reading works. */
export function openProbed(name: string, options: { readonly readonly: boolean; readonly timeout: number }): Database {
  const db = new BetterSqlite3(name, { ...options, fileMustExist: true });
  try {
    db.prepare('SELECT count(*) FROM sqlite_master').get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The last one who closes a database takes the files beside it along, unless it may only read; so this one may, and does not. */
function openAsGuest(path: string, timeout: number): Database {
  const db = new BetterSqlite3(path, { fileMustExist: true, timeout });
  try {
    db.pragma('query_only = ON');
    db.prepare('SELECT count(*) FROM sqlite_master').get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens a copy of a database with its log, which has no name any more once it is open. Who writes meanwhile is only seen by the files. */
export function openCopy(path: string, timeout: number): Database {
  using folder = temporaryFolder('coppice-look');
  const copy = join(folder.path, basename(path));
  copyAside(path, folder.path);
  const made = new BetterSqlite3(copy, { timeout });
  try {
    // It is gone before anybody could need it after a power cut.
    made.pragma('synchronous = OFF');
    // A log would be looked for by its name.
    made.pragma('journal_mode = DELETE');
  } finally {
    made.close();
  }
  return openProbed(copy, { readonly: true, timeout });
}

/** By another process: opening and closing a database here would drop the locks that this process has on it. */
function copyAside(path: string, folder: string): void {
  const files = [path, `${path}-wal`].filter(existsSync);
  const { status } = spawnSync('cp', ['--', ...files, folder], { stdio: 'ignore' });
  for (const file of files) {
    const copy = join(folder, basename(file));
    // Windows has no such program, and no such locks.
    if (status !== 0) copyFileSync(file, copy);
    // What may only be read has a copy that may only be read.
    chmodSync(copy, 0o600);
  }
}

/** Whether this user, or the disk, lets nobody write to a database that is there, or beside it. */
export function mayOnlyRead(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  return [path, dirname(path)].some((place) => !isWritable(place));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) throw error;
    return false;
  }
}
