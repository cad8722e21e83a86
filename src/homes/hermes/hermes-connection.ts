import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { errorCode } from '../../platform/error-code.ts';
import { allowSqliteUris } from '../../platform/sqlite/allow-sqlite-uris.ts';

/** An open database of a Hermes home, for reading or for writing. */
export interface HermesDatabase {
  readonly db: Database;
  /** Tables by name, virtual ones left out, with their columns and declared types. They differ between homes: ask, never assume. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/**
 * A look at the database of a Hermes home that leaves no trace: no byte, no time and no file of the home changes. While it is
 * open, nothing in this process may open, read or copy the database by other means: closing such a handle would drop the locks.
 */
export interface HermesConnection extends HermesDatabase {
  /** Nobody had the database open, so it is read without locks; `disturbed` says whether that still holds. */
  readonly quiet: boolean;
  /** True once another process has touched a database that is read without locks: what was read may not belong together. */
  disturbed(): boolean;
  close(): void;
}

/**
 * Opens it for reading only. A database at rest is read without locks, because SQLite would leave its two side files behind
 * otherwise; one in use is read through the side files that are there, without writing to them. Only where a log lies without
 * its shared memory does SQLite add that one file. `locked` asks for locks even at rest, which may leave side files.
 */
export function openHermes(home: string, { locked = false } = {}): HermesConnection {
  const file = join(home, 'state.db');
  const before = traces(file);
  const { db, quiet } = locked && before !== IN_USE ? openLocked(file) : openQuietly(file, before !== IN_USE);
  try {
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
export async function readHermes<T>(home: string, read: (hermes: HermesConnection) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const hermes = openHermes(home, { locked: attempt > QUIET_ATTEMPTS });
    try {
      const found = await read(hermes);
      if (!hermes.disturbed()) return found;
    } catch (error) {
      if (!hermes.disturbed()) throw error;
    } finally {
      hermes.close();
    }
  }
}

const QUIET_ATTEMPTS = 2;

/** Whether a table has all of these columns. */
export function hasColumns({ tables }: HermesDatabase, table: string, columns: readonly string[]): boolean {
  const known = tables.get(table);
  return known !== undefined && columns.every((column) => known.has(column));
}

const IN_USE = 'in use';

/** At rest means no log with content, no shared memory, no unfinished transaction: size and times then tell of any change. */
function traces(file: string): string {
  const [main, wal, shm, journal] = ['', '-wal', '-shm', '-journal'].map((suffix) =>
    statSync(file + suffix, { bigint: true, throwIfNoEntry: false }),
  );
  if ((wal?.size ?? 0n) > 0n || shm !== undefined || (journal?.size ?? 0n) > 0n) return IN_USE;
  return [main?.ino, main?.size, main?.mtimeNs, main?.ctimeNs].join(':');
}

interface Opened {
  readonly db: Database;
  readonly quiet: boolean;
}

function openQuietly(file: string, atRest: boolean): Opened {
  allowSqliteUris();
  const how = atRest ? 'mode=ro&immutable=1' : 'mode=ro&readonly_shm=1';
  try {
    return { db: openAndProbe(`${pathToFileURL(file).href}?${how}`), quiet: atRest };
  } catch (error) {
    // No shared memory beside the log, or a process that opened its first database before addresses were allowed.
    if (!/^SQLITE_(CANTOPEN|READONLY)/.test(errorCode(error) ?? '')) throw error;
    return openLocked(file);
  }
}

function openLocked(file: string): Opened {
  return { db: openAndProbe(file), quiet: false };
}

/** Opening reads nothing yet, so one small question shows whether this way of reading works. */
function openAndProbe(name: string): Database {
  const db = new BetterSqlite3(name, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
  try {
    // Everything is read once and in order, so more than this is only memory.
    db.pragma('cache_size = -4000');
    db.prepare('SELECT count(*) FROM sqlite_master').get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Hermes gives up its turns within milliseconds; who waits longer than this should hear why. */
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
