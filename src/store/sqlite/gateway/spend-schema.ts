import { statSync } from 'node:fs';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { SPENT_COUNTERS, type SpentCounter } from '../../../core/gateway/limits.ts';
import { networkFileSystem } from '../../../platform/machine/file-system-facts.ts';
import { createDatabaseFile } from '../database/create-database-file.ts';
import { openReadOnly } from '../database/read-only-database.ts';
import { writtenByNewer } from '../database/sqlite-errors.ts';
import { REQUESTS_SCHEMA } from '../schema/010-requests.ts';

const SCHEMA_VERSION = 6;

const COLUMN_OF: Readonly<Record<SpentCounter, string>> = {
  tokens: 'tokens',
  nanoUsd: 'nano_usd',
  iterations: 'iterations',
  wallMs: 'wall_ms',
};
/** In the order of `SPENT_COUNTERS`. */
export const COLUMN_LIST = SPENT_COUNTERS.map((counter) => COLUMN_OF[counter]);
export const COLUMNS = COLUMN_LIST.join();

/** Opens `live.db`, made or brought up to date where needed. `docs/formats/live.md` is the format. */
export function openSpendDatabase(path: string, busyWaitMs: number): Database {
  createDatabaseFile(path);
  const db = new BetterSqlite3(path, { timeout: busyWaitMs });
  try {
    // Small pages, because every step writes one.
    db.pragma('page_size = 1024');
    // WAL needs shared memory, which network file systems do not have.
    db.pragma(networkFileSystem(path) === undefined ? 'journal_mode = WAL' : 'journal_mode = TRUNCATE');
    // A commit does not wait for the disk, only a checkpoint does, and yet a power cut damages nothing.
    db.pragma('synchronous = NORMAL');
    db.pragma('wal_autocheckpoint = 4000');
    db.transaction(() => migrate(db, path)).immediate();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Opens `live.db` to look at it where nothing can be written, or an empty one in memory where there is none yet. One that an older
 * version wrote cannot be brought up to date there.
 */
export function openSpendToLook(path: string, busyWaitMs: number): Database {
  const isThere = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const db = isThere ? openReadOnly(path, busyWaitMs).raw : new BetterSqlite3(':memory:');
  try {
    migrate(db, path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function migrate(db: Database, path: string): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version === SCHEMA_VERSION) return;
  if (version > SCHEMA_VERSION) throw writtenByNewer(path);
  if (version < 3) migrateSpend(db, version);
  if (version < 4) db.exec(KEPT_SCHEMA);
  if (version < 5) db.exec(HARD_BUDGETS_SCHEMA);
  if (version < 6) db.exec([FOUND_SCHEMA, REQUESTS_SCHEMA, UNRECORDED_SCHEMA].join(';'));
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
}

function migrateSpend(db: Database, version: number): void {
  const columns = 'scope, key, period, updated_at, tokens, nano_usd, iterations, wall_ms';
  if (version > 0) db.exec('ALTER TABLE spend RENAME TO earlier');
  db.exec(SCHEMA);
  if (version > 0) db.exec(`INSERT INTO spend (${columns}) SELECT ${columns} FROM earlier; DROP TABLE earlier`);
}

/** A row that was dropped leaves its number behind, which nobody gets again: a step is counted by it. */
const SCHEMA = `CREATE TABLE spend (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  scope TEXT NOT NULL, key TEXT NOT NULL, period TEXT NOT NULL,
  tokens INTEGER NOT NULL, nano_usd INTEGER NOT NULL, iterations INTEGER NOT NULL, wall_ms INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (scope, key, period)
) STRICT;
CREATE TABLE changes (number INTEGER NOT NULL) STRICT;
INSERT INTO changes VALUES (0);
CREATE TRIGGER inserted AFTER INSERT ON spend WHEN NEW.scope <> 'session' BEGIN UPDATE changes SET number = number + 1; END;
CREATE TRIGGER updated AFTER UPDATE OF tokens, nano_usd ON spend WHEN NEW.scope <> 'session'
  BEGIN UPDATE changes SET number = number + 1; END;
CREATE TRIGGER deleted AFTER DELETE ON spend WHEN OLD.scope <> 'session' BEGIN UPDATE changes SET number = number + 1; END`;

/** What guards keep of a session. */
const KEPT_SCHEMA =
  'CREATE TABLE kept (session_id TEXT PRIMARY KEY, text TEXT NOT NULL, updated_at INTEGER NOT NULL) STRICT, WITHOUT ROWID';

/** What calls under way have set aside, one row for each, and which shares of a budget were told. */
const HARD_BUDGETS_SCHEMA = `CREATE TABLE reserved (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL, source TEXT NOT NULL, model TEXT NOT NULL, period TEXT NOT NULL,
  tokens INTEGER NOT NULL, nano_usd INTEGER NOT NULL,
  owner TEXT NOT NULL, reserved_at INTEGER NOT NULL
) STRICT;
CREATE TABLE told (
  scope TEXT NOT NULL, key TEXT NOT NULL, period TEXT NOT NULL, counter TEXT NOT NULL,
  percent INTEGER NOT NULL, of_limit INTEGER NOT NULL, told_at INTEGER NOT NULL,
  PRIMARY KEY (scope, key, period, counter, of_limit, percent)
) STRICT, WITHOUT ROWID;
CREATE TABLE corrections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL, tokens INTEGER NOT NULL, nano_usd INTEGER NOT NULL,
  corrected_by TEXT NOT NULL, reason TEXT NOT NULL, corrected_at INTEGER NOT NULL
) STRICT`;

/** What was counted of calls that agents wrote down themselves, so that each counts once. */
const FOUND_SCHEMA = `CREATE TABLE found (
  id TEXT PRIMARY KEY,
  input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
  reasoning INTEGER NOT NULL, found_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;

/** What is counted and may not be recorded yet, and which of what is set aside is for a call that may have been sent. */
const UNRECORDED_SCHEMA = `ALTER TABLE reserved ADD COLUMN is_call INTEGER NOT NULL DEFAULT 0;
CREATE TABLE unrecorded (
  id TEXT PRIMARY KEY, session TEXT NOT NULL, report TEXT NOT NULL, owner TEXT NOT NULL, noted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;
