import BetterSqlite3, { type Database } from 'better-sqlite3';
import { networkFileSystem } from '../../../platform/machine/file-system-facts.ts';
import { mayOnlyRead } from '../../../platform/sqlite/open-at-rest.ts';
import { IN_MEMORY } from '../database/connection.ts';
import { createDatabaseFile } from '../database/create-database-file.ts';
import { openReadOnly } from '../database/read-only-database.ts';
import { writtenByNewer } from '../database/sqlite-errors.ts';

const SCHEMA_VERSION = 1;

/** The columns of tokens, in the order of `TOKENS`. */
export const TOKEN_COLUMNS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const;

/** Opens `usage.db`, made where there is none. `docs/formats/usage.md` is the format. */
export function openUsageDatabase(path: string, busyWaitMs: number): Database {
  if (mayOnlyRead(path)) return openCopy(path, busyWaitMs);
  if (path !== IN_MEMORY) createDatabaseFile(path);
  const db = new BetterSqlite3(path, { timeout: busyWaitMs });
  try {
    // WAL needs shared memory, which network file systems do not have.
    const fits = path === IN_MEMORY || networkFileSystem(path) === undefined;
    db.pragma(fits ? 'journal_mode = WAL' : 'journal_mode = TRUNCATE');
    // What is booked may be all that is left of it, so it is on the disk before anybody hears that it was booked.
    db.pragma('synchronous = FULL');
    db.pragma('secure_delete = ON');
    db.transaction(() => migrate(db, path)).immediate();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Where nothing can be written, what is new is only counted for whoever asks, in a copy in memory. */
function openCopy(path: string, busyWaitMs: number): Database {
  const { raw } = openReadOnly(path, busyWaitMs);
  const bytes = raw.serialize();
  raw.close();
  // A database in memory has no log.
  if (bytes.length > 19) [bytes[18], bytes[19]] = [1, 1];
  const db = new BetterSqlite3(bytes.length === 0 ? IN_MEMORY : bytes);
  migrate(db, path);
  return db;
}

function migrate(db: Database, path: string): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version === SCHEMA_VERSION) return;
  if (version > SCHEMA_VERSION) throw writtenByNewer(path);
  db.exec(SCHEMA);
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
}

const TOKENS = TOKEN_COLUMNS.map((column) => `${column} INTEGER NOT NULL`).join(', ');

/**
 * `calls` is what agents wrote down, `shares` what homes said of sessions in all, each time as far as it was new. `spent` is both added up,
 * for answers; it follows from them. Without a price `nano_usd` is NULL.
 */
const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE models (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE sessions (
  key INTEGER PRIMARY KEY, agent TEXT NOT NULL, id TEXT NOT NULL, project TEXT, by_call INTEGER NOT NULL DEFAULT 0,
  UNIQUE (agent, id)
) STRICT;
CREATE INDEX sessions_by_project ON sessions (project) WHERE by_call = 1;
CREATE TABLE seen (place TEXT NOT NULL, session INTEGER NOT NULL, PRIMARY KEY (place, session)) STRICT, WITHOUT ROWID;
CREATE TABLE calls (
  hash BLOB PRIMARY KEY, session INTEGER NOT NULL, model INTEGER NOT NULL, at INTEGER NOT NULL, ${TOKENS},
  nano_usd INTEGER, supervised_by INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_by_session ON calls (session, at);
CREATE INDEX calls_unpriced ON calls (model) WHERE nano_usd IS NULL;
CREATE INDEX calls_supervised ON calls (supervised_by) WHERE supervised_by IS NOT NULL;
CREATE TABLE told (
  place TEXT NOT NULL, session INTEGER NOT NULL, started_at INTEGER NOT NULL, model INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL, ${TOKENS}, nano_usd INTEGER, supervised INTEGER NOT NULL,
  PRIMARY KEY (session, started_at, model, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE shares (
  key INTEGER PRIMARY KEY, session INTEGER NOT NULL, started_at INTEGER NOT NULL, model INTEGER NOT NULL, at INTEGER NOT NULL,
  ${TOKENS}, nano_usd INTEGER
) STRICT;
CREATE INDEX shares_by_session ON shares (session, started_at, model);
CREATE INDEX shares_unpriced ON shares (model) WHERE nano_usd IS NULL;
CREATE TABLE spent (
  session INTEGER NOT NULL, model INTEGER NOT NULL, day TEXT NOT NULL, ${TOKENS},
  nano_usd INTEGER NOT NULL, unpriced INTEGER NOT NULL,
  PRIMARY KEY (session, model, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE files (
  place TEXT NOT NULL, path TEXT NOT NULL, stamp TEXT NOT NULL,
  PRIMARY KEY (place, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE places (place TEXT PRIMARY KEY, stamp TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;
