import BetterSqlite3 from 'better-sqlite3';
import { createDatabaseFile } from './create-database-file.ts';
import { translateSqliteError } from './sqlite-errors.ts';

/** In an empty database even the start of a transaction writes to the journal, which must not need space on the disk. */
export const WITHOUT_SPACE = 'PRAGMA journal_mode = MEMORY;';

/** Opens a small database that is only ever locked, never written. Closing it gives up whatever it holds. */
export function openLockFile(path: string): BetterSqlite3.Database {
  try {
    createDatabaseFile(path);
    return new BetterSqlite3(path, { timeout: 0 });
  } catch (error) {
    throw translateSqliteError(error, path);
  }
}
