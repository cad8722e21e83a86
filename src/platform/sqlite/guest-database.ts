import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { errorCode } from '../error-code.ts';
import { openAtRest, openCopy, openInUse, openProbed } from './open-at-rest.ts';

/** An open database that another program owns, for reading or for writing. */
export interface GuestDatabase {
  readonly db: Database;
  /** Tables by name, virtual ones left out, with their columns and declared types. They differ between versions: ask, never assume. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/**
 * A look at a database of another program that leaves no trace: no byte and no file of it changes. While it is open, nothing in
 * this process may open, read or copy the database by other means: closing such a handle would drop the locks.
 */
export interface GuestConnection extends GuestDatabase {
  /** Nobody had the database open, so it is read without locks; `disturbed` says whether that still holds. */
  readonly quiet: boolean;
  /** True once another process has touched a database that is read without locks: what was read may not belong together. */
  disturbed(): boolean;
  close(): void;
}

/**
 * Opens it for reading only. A database at rest is read without locks, because SQLite would leave its two side files behind
 * otherwise; one in use is read through the side files that are there, without writing to them. Where a log lies without its shared
 * memory SQLite would add that one file, so a copy of both is read; above `COPIED_BYTES` it does. `locked` asks for locks even at
 * rest, which may leave side files.
 */
export function openGuest(file: string, { locked = false } = {}): GuestConnection {
  const before = traces(file);
  const { db, quiet } = locked && before !== IN_USE ? openLocked(file) : openQuietly(file, before);
  try {
    // Everything is read once and in order, so more than this is only memory.
    db.pragma('cache_size = -4000');
    const disturbed = () => quiet && traces(file) !== before;
    return { db, tables: readTables(db), quiet, disturbed, close: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Opens the database, reads, closes; again from the start when somebody else used it meanwhile. Where that goes on, it is read
 * with locks at last: with a rollback journal nothing else shows that a database is in use.
 */
export async function readGuest<T>(file: string, read: (guest: GuestConnection) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const guest = openGuest(file, { locked: attempt > QUIET_ATTEMPTS });
    try {
      const found = await read(guest);
      if (!guest.disturbed()) return found;
    } catch (error) {
      if (!guest.disturbed()) throw error;
    } finally {
      guest.close();
    }
  }
}

const QUIET_ATTEMPTS = 2;

/** Whether a table has all of these columns. */
export function hasColumns({ tables }: GuestDatabase, table: string, columns: readonly string[]): boolean {
  const known = tables.get(table);
  return known !== undefined && columns.every((column) => known.has(column));
}

const IN_USE = 'in use';

/** A log that lies there without its shared memory. */
const LEFT = 'left';
/** So much is copied to be read, with its log. */
const COPIED_BYTES = 256 * 1024 ** 2;

/** At rest means no log with content, no shared memory, no unfinished transaction: size and times then tell of any change. */
function traces(file: string): string {
  const [main, wal, shm, journal] = ['', '-wal', '-shm', '-journal'].map((suffix) =>
    statSync(file + suffix, { bigint: true, throwIfNoEntry: false }),
  );
  if (shm !== undefined || (journal?.size ?? 0n) > 0n) return IN_USE;
  const sizes = (main?.size ?? 0n) + (wal?.size ?? 0n);
  const mark = [main?.ino, main?.size, main?.mtimeNs, main?.ctimeNs].join(':');
  if ((wal?.size ?? 0n) === 0n) return mark;
  return sizes > COPIED_BYTES ? IN_USE : [LEFT, mark, wal?.ino, wal?.size, wal?.mtimeNs, wal?.ctimeNs].join(':');
}

interface Opened {
  readonly db: Database;
  readonly quiet: boolean;
}

function openQuietly(file: string, before: string): Opened {
  if (before === IN_USE) return { db: openInUse(file, BUSY_MS), quiet: false };
  if (before.startsWith(LEFT)) return openLeft(file, before);
  try {
    const { db, unlocked } = openAtRest(file, BUSY_MS);
    return { db, quiet: unlocked };
  } catch (error) {
    if (!/^SQLITE_(CANTOPEN|READONLY)/.test(errorCode(error) ?? '')) throw error;
    return openLocked(file);
  }
}

/** A copy of what somebody was just writing may be no database at all. */
function openLeft(file: string, before: string): Opened {
  try {
    return { db: openCopy(file, BUSY_MS), quiet: true };
  } catch (error) {
    if (traces(file) === before) throw error;
    return openLocked(file);
  }
}

function openLocked(file: string): Opened {
  return { db: openProbed(file, { readonly: true, timeout: BUSY_MS }), quiet: false };
}

/** Other programs give up their turns within milliseconds; who waits longer than this should hear why. */
const BUSY_MS = 5000;

/** The tables of an open database, for whoever opened it by other means. */
export function readTables(db: Database): Map<string, Map<string, string>> {
  const rows = db
    .prepare<[], { tbl: string; col: string; type: string }>(
      `SELECT m.name AS tbl, c.name AS col, c.type FROM sqlite_master AS m, pragma_table_info(m.name) AS c
       WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%'`,
    )
    .all();
  const tables = new Map<string, Map<string, string>>();
  for (const { tbl, col, type } of rows) {
    const columns = tables.get(tbl) ?? new Map<string, string>();
    tables.set(tbl, columns.set(col, type));
  }
  return tables;
}
