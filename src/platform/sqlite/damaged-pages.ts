import type { Database } from 'better-sqlite3';

/** Above this, reading every page takes minutes, and whoever writes with a rollback journal waits for it. */
export const LARGE_BYTES = 1024 ** 3;
/** Comparing the search indexes of so much takes less than a second. */
export const SMALL_BYTES = 8 * 1024 ** 2;
const MOST_FOUND = 20;

/**
 * What SQLite finds wrong with the pages of a database, asked before anything is removed from it. Free pages count too: where their
 * list names a page that is in use, the next thing that is written lands on what is there. A page that cannot be read at all is
 * SQLite's own error.
 */
export function damagedPages(db: Database): readonly string[] {
  if (databaseBytes(db) > LARGE_BYTES) return [];
  const lines = db.prepare<[], string>(`PRAGMA quick_check(${MOST_FOUND})`).pluck().all();
  return lines.flatMap(findings);
}

/** What an answer of such a check says, one finding for each of its lines. Whatever concerns one tree comes in one row, below a heading. */
export function findings(answer: string): readonly string[] {
  return answer.split('\n').filter((line) => line !== 'ok' && !HEADING.test(line));
}

const HEADING = /^(\*\*\* in database .* \*\*\*)?$/;

/**
 * For a connection that asks this alone: search indexes are empty tables there. SQLite would compare every entry of them, which takes
 * many times as long and says nothing about messages. The pages behind them are looked at all the same.
 */
export function leaveOutIndexes(db: Database): void {
  db.table('fts5', { columns: ['nothing'], *rows() {} });
}

/** What a database takes, by its own count. */
export function databaseBytes(db: Database): number {
  return Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
}

/** The search index that such a line is about. Indexes hold nothing that the messages do not. */
export function indexIn(line: string): string | undefined {
  return /FTS5 table main\.(\w+)/.exec(line)?.[1];
}
