import type { Connection } from './connection.ts';

/** Index pages that may be merged for each byte of text that enters or leaves: enough for four levels of pieces, so none pile up. */
const PAGES_PER_BYTE = 1 / 200;
const LEAST_PAGES = 8;

/**
 * Puts the messages that a transaction wrote into the search indexes; called at its end. All of them go in by one statement for each
 * index: SQLite writes out what an index has learned whenever a statement begins that could fail half-way, and a piece of index for
 * each message costs three times as much as one for all.
 */
export function indexMessages(db: Connection): void {
  const { upTo, last, textBytes } = pending(db);
  if (last === null) return;
  db.sql(`INSERT INTO message_words (rowid, text)
    SELECT id, substr(text, 1, 100000) FROM messages WHERE id > ?`).run(upTo);
  db.sql(`INSERT INTO message_parts (rowid, text)
    SELECT id, substr(text, 1, 100000) || '  ' FROM messages WHERE id > ?`).run(upTo);
  db.sql('UPDATE indexed SET up_to = ?').run(last);
  mergeIndexes(db, textBytes);
}

/**
 * Merges pieces of the indexes, as much as text of this size calls for. Most calls find nothing to merge, and no call has much more
 * to do than another: whoever waits for the lock waits for a part of a merge, never for a whole one.
 */
export function mergeIndexes(db: Connection, textBytes: number): void {
  // FTS5 takes whole numbers only, and a plain number is bound as a fraction.
  const pages = BigInt(LEAST_PAGES + Math.ceil(textBytes * PAGES_PER_BYTE));
  db.sql(`INSERT INTO message_words (message_words, rank) VALUES ('merge', ?)`).run(pages);
  db.sql(`INSERT INTO message_parts (message_parts, rank) VALUES ('merge', ?)`).run(pages);
}

interface Pending {
  readonly upTo: number;
  /** Null when there is nothing above the mark. */
  readonly last: number | null;
  readonly textBytes: number;
}

/** What is in no index yet. */
function pending(db: Connection): Pending {
  const row = db
    .sql<[], Pending | { upTo: null }>(
      `SELECT up_to AS upTo, max(id) AS last, sum(min(octet_length(text), 100000)) AS textBytes
       FROM indexed LEFT JOIN messages ON id > up_to`,
    )
    .get();
  if (row === undefined || row.upTo === null) throw new Error('the mark of the search index is missing');
  return row;
}
