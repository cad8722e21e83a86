import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';

/** Everything in a Hermes home that matters to Hermes: every row with its exact values, what searches find, every file. */
export function dumpHermes(home: string, words: readonly string[]): unknown {
  const db = new BetterSqlite3(join(home, 'state.db'));
  try {
    const tables = db
      .prepare<[], string>(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'messages_fts%'`)
      .pluck()
      .all();
    const rows = Object.fromEntries(tables.toSorted().map((table) => [table, dumpTable(db, table)]));
    const found = Object.fromEntries(words.map((word) => [word, search(db, word)]));
    return { rows, found, entries: INDEXES.map((index) => dumpIndex(db, index)), files: dumpFiles(home) };
  } finally {
    db.close();
  }
}

const INDEXES = ['messages_fts', 'messages_fts_trigram'];

/** Every entry of a search index, as one text. */
function dumpIndex(db: Database, index: string): string {
  db.exec(`CREATE VIRTUAL TABLE temp.${index}_entries USING fts5vocab(main, ${index}, instance)`);
  const entries = db.prepare(`SELECT term, doc, col, offset FROM temp.${index}_entries`).raw().all();
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex');
}

/** What SQLite and its search indexes find wrong. */
export function hermesProblems(home: string): string[] {
  const db = new BetterSqlite3(join(home, 'state.db'));
  try {
    const found = db.prepare<[], string>('PRAGMA integrity_check').pluck().all();
    const keys = db.prepare('PRAGMA foreign_key_check').all();
    const indexes = INDEXES.flatMap((table) => indexProblems(db, table));
    return [...found.filter((line) => line !== 'ok'), ...keys.map((key) => JSON.stringify(key)), ...indexes];
  } finally {
    db.close();
  }
}

function indexProblems(db: Database, table: string): string[] {
  try {
    // The rank asks for a comparison with the table that the index is about.
    db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`);
    return [];
  } catch (error) {
    return [`${table}: ${String(error)}`];
  }
}

function dumpTable(db: Database, table: string): string[] {
  const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  const exact = columns.map((name) => `typeof("${name}") || ' ' || quote("${name}")`).join(` || ', ' || `);
  return db.prepare<[], string>(`SELECT ${exact} FROM "${table}" ORDER BY 1`).pluck().all();
}

function search(db: Database, word: string): unknown {
  return INDEXES.map((table) =>
    db.prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid`).pluck().all(`"${word}"`),
  );
}

/** All but the database itself, what Coppice keeps, and locks. */
function dumpFiles(home: string): string[] {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).toSorted();
  return names
    .filter((name) => !/^(\.coppice|state\.db)/.test(name))
    .map((name) => {
      const stat = lstatSync(join(home, name), { bigint: true });
      if (!stat.isFile()) return `${name} ${stat.mode}`;
      const hash = createHash('sha256')
        .update(readFileSync(join(home, name)))
        .digest('hex');
      return [name, stat.mode, stat.mtimeNs, hash].join(' ');
    });
}
