import type { Connection } from '../database/connection.ts';

/**
 * FTS5 keeps an index in pieces, on levels, the oldest on the highest one. A merge drops the words of messages that are gone only where
 * nothing can be older than what it makes: where that becomes the highest level. But FTS5 also moves pieces down that are small
 * beside a new one, and keeps the empty levels above, and then no merge of them ever counts as the oldest.
 */

/** Whether the highest level of an index is empty although it has pieces, so that words of what is gone may have outlasted a merge. */
export function isBelowTop(db: Connection, index: string): boolean {
  const counts = piecesByLevel(db, index);
  return counts.some((count) => count > 0) && counts.at(-1) === 0;
}

/** An index so small that a new piece of it is never smaller than all others, and that is built anew at once. */
export function isTiny(db: Connection, index: string): boolean {
  return (db.sql<[], number>(`SELECT count(*) FROM ${index}_data`).pluck().get() ?? 0) <= TINY_BLOCKS;
}

/** Two blocks say what there is; a piece has one or more. */
const TINY_BLOCKS = 4;

/**
 * Adds a piece on the lowest level that says nothing: pieces on different levels are merged into a new highest one. It has to be a
 * transaction of its own.
 */
export function addEmptyPiece(db: Connection, index: string): void {
  const column = db.sql<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().get(index) ?? '';
  db.sql(`INSERT INTO ${index} (rowid, ${column}) VALUES (${NO_ROW}, 'nothing')`).run();
  db.sql(`INSERT INTO ${index} (${index}, rowid, ${column}) VALUES ('delete', ${NO_ROW}, 'nothing')`).run();
}

/** Messages and sessions are numbered from 1. */
const NO_ROW = 0;
/** Where an index has its list of pieces, as the documentation of FTS5's file format has it. */
const STRUCTURE = 10;

function piecesByLevel(db: Connection, index: string): number[] {
  const block = db.sql<[number], Buffer>(`SELECT block FROM ${index}_data WHERE id = ?`).pluck().get(STRUCTURE);
  if (block === undefined) return [];
  const hasMore = block.length >= 8 && block.readUInt32BE(COOKIE_BYTES) === MORE_ABOUT_PIECES;
  const numbers = numbersIn(block.subarray(hasMore ? 2 * COOKIE_BYTES : COOKIE_BYTES));
  const next = () => numbers.next().value ?? 0;
  const levels = next();
  // How many pieces there are altogether, and how often was written.
  next();
  next();
  return Array.from({ length: levels }, () => {
    next();
    const count = next();
    for (let about = count * (hasMore ? NUMBERS_MORE : NUMBERS_OF_PIECE); about > 0; about -= 1) next();
    return count;
  });
}

const COOKIE_BYTES = 4;
/** Stands after the cookie where FTS5 notes more about each piece, which it does for tables of other kinds than ours. */
const MORE_ABOUT_PIECES = 0xff000001;
const NUMBERS_OF_PIECE = 3;
const NUMBERS_MORE = 7;

/** Numbers of SQLite's variable length: seven bits in a byte, the highest first. None here needs nine bytes. */
function* numbersIn(bytes: Buffer): Generator<number, undefined> {
  let number = 0;
  for (const byte of bytes) {
    number = number * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    yield number;
    number = 0;
  }
}
