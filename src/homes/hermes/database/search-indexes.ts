import type { Database } from 'better-sqlite3';
import { quoted } from '../../../platform/sqlite/row-lines.ts';

/** A search index of Hermes. What it holds and how it is set up stay as they are, whatever is merged. */
export interface SearchIndex {
  /** Merges a few pages of what is due by itself. Says whether there was anything. */
  readonly merge: () => boolean;
  /**
   * Merges a few pages on the way to a single part, in which nothing is left of rows that are gone. `first` begins it, with all
   * parts that are there; what others add meanwhile is none of its business. Says whether there is more.
   */
  readonly mergeAll: (first: boolean) => boolean;
}

/**
 * The search indexes of a Hermes home. SQLite merges their parts by itself within whatever change makes it due, and in a large
 * index that is hundreds of pages with the write lock held. Done early and in small pieces, little is due when sessions go or
 * come back.
 */
export function searchIndexes(db: Database): readonly SearchIndex[] {
  const names = db
    .prepare<[], string>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'messages\\_fts%' ESCAPE '\\' AND sql LIKE '%USING fts5%'`,
    )
    .pluck()
    .all();
  return names.map((name) => searchIndex(db, name));
}

function searchIndex(db: Database, name: string): SearchIndex {
  const index = quoted(name);
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck();
  const command = db.prepare(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`);
  const run = (pages: number) => {
    const before = Number(changes.get());
    command.run(pages);
    // The command itself counts as one.
    return Number(changes.get()) - before > 1;
  };
  const parts = db.prepare<[number], Buffer>(`SELECT block FROM ${quoted(`${name}_data`)} WHERE id = ?`).pluck();
  return {
    merge: () => run(PAGES),
    mergeAll(first) {
      // Less than zero begins anew with all parts, and that is due where too few are left for SQLite to go on.
      if (first || !run(PAGES)) run(-PAGES);
      const block = parts.get(STRUCTURE_ROW);
      return block !== undefined && fillsLastLevel(block);
    },
  };
}

/** Some milliseconds of work. */
const PAGES = 32;

/** Where FTS5 keeps which parts an index has. */
const STRUCTURE_ROW = 10;
const COOKIE_BYTES = 4;

/**
 * Whether parts are being merged into the oldest level. The record of FTS5 is a cookie, then numbers: how many levels and parts there
 * are, a counter, and for each level, the newest first, how many parts are being merged, how many there are, and three
 * numbers a part.
 */
function fillsLastLevel(block: Buffer): boolean {
  const next = numbersIn(block.subarray(COOKIE_BYTES));
  const levels = next();
  next();
  next();
  for (let level = 0; level < levels; level += 1) {
    const merging = next();
    if (merging > 0 && level === levels - 2) return true;
    for (let left = 3 * next(); left > 0; left -= 1) next();
  }
  return false;
}

/** SQLite's numbers of varying length: seven bits a byte, the highest first, as long as the eighth bit is set. */
function numbersIn(bytes: Buffer): () => number {
  let at = 0;
  return () => {
    let value = 0;
    for (let more = true; more && at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      value = value * 128 + (byte & 0x7f);
      more = byte > 0x7f;
    }
    return value;
  };
}
