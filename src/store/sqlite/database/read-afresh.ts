import BetterSqlite3 from 'better-sqlite3';

/**
 * Reads the beginning of every table past what this process remembers of the file, which may be damaged by now: a connection goes on with
 * the pages that it has in memory. Throws what SQLite says.
 */
export function readAfresh(path: string): void {
  const db = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
  try {
    const tables = db.prepare<[], string>(TABLES).pluck().all();
    for (const name of tables) db.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get();
  } finally {
    db.close();
  }
}

/** Those that are stored: a search index is kept in tables of its own. */
const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0`;
