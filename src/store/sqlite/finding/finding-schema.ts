import BetterSqlite3, { type Database } from 'better-sqlite3';
import { networkFileSystem } from '../../../platform/machine/file-system-facts.ts';
import { mayOnlyRead } from '../../../platform/sqlite/open-at-rest.ts';
import { IN_MEMORY } from '../database/connection.ts';
import { createDatabaseFile } from '../database/create-database-file.ts';
import { openReadOnly } from '../database/read-only-database.ts';
import { writtenByNewer } from '../database/sqlite-errors.ts';

const SCHEMA_VERSION = 1;

/** Opens `search.db`, made where there is none. `docs/formats/search.md` is the format. */
export function openFindingDatabase(path: string, busyWaitMs: number): Database {
  if (mayOnlyRead(path)) return openReadOnly(path, busyWaitMs).raw;
  if (path !== IN_MEMORY) createDatabaseFile(path);
  const db = new BetterSqlite3(path, { timeout: busyWaitMs });
  try {
    // What is deleted is overwritten, and its pages can be given back. Both have to be said before there is a table.
    db.pragma('auto_vacuum = INCREMENTAL');
    db.pragma('secure_delete = ON');
    // WAL needs shared memory, which network file systems do not have.
    const fits = path === IN_MEMORY || networkFileSystem(path) === undefined;
    db.pragma(fits ? 'journal_mode = WAL' : 'journal_mode = TRUNCATE');
    // What a power cut takes back is read again. The database itself stays whole.
    db.pragma('synchronous = NORMAL');
    db.pragma(`journal_size_limit = ${MOST_LOG_BYTES}`);
    db.transaction(() => migrate(db, path)).immediate();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const MOST_LOG_BYTES = 16 * 1024 * 1024;

function migrate(db: Database, path: string): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version === SCHEMA_VERSION) return;
  if (version > SCHEMA_VERSION) throw writtenByNewer(path);
  db.exec(SCHEMA);
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
}

/**
 * Conversations in blocks of some messages. A block is stored compressed; its three-character pieces are in `block_parts`, which has no
 * text of its own, no positions, and so no word that anybody could read. `at` of a block is when the newest of its messages was said.
 */
const SCHEMA = `
CREATE TABLE places (key INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE sessions (
  key INTEGER PRIMARY KEY, place INTEGER NOT NULL REFERENCES places (key), id TEXT NOT NULL, stamp TEXT NOT NULL DEFAULT '',
  archived INTEGER NOT NULL DEFAULT 0, left_out INTEGER NOT NULL DEFAULT 0, last_active_at INTEGER NOT NULL DEFAULT 0, title TEXT,
  UNIQUE (place, id)
) STRICT;
CREATE TABLE parts (
  key INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES sessions (key), name TEXT NOT NULL, number INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL DEFAULT -1, modified_at INTEGER NOT NULL DEFAULT 0, inode INTEGER NOT NULL DEFAULT 0,
  read_bytes INTEGER NOT NULL DEFAULT 0, mark TEXT, whole INTEGER NOT NULL DEFAULT 0, messages INTEGER NOT NULL DEFAULT 0,
  reader TEXT, read_at INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session, name)
) STRICT;
CREATE TABLE blocks (
  key INTEGER PRIMARY KEY, part INTEGER NOT NULL REFERENCES parts (key), session INTEGER NOT NULL, first INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX blocks_by_part ON blocks (part, first);
CREATE INDEX blocks_by_session ON blocks (session);
CREATE INDEX parts_by_session ON parts (session);
CREATE TABLE texts (block INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
CREATE VIRTUAL TABLE block_parts USING fts5 (
  text, content = '', tokenize = 'trigram remove_diacritics 1', detail = none, columnsize = 0
);
CREATE VIRTUAL TABLE block_terms USING fts5vocab ('block_parts', 'row');
INSERT INTO block_parts (block_parts, rank) VALUES ('usermerge', 4), ('automerge', 8);
`;
