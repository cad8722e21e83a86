import { MAX_BATCH } from '../../../core/stores/session-writer.ts';
import type { Connection } from '../database/connection.ts';
import { onTightDisk } from '../database/tight-disk.ts';

/** Index pages that may be merged for each byte of text that enters or leaves: enough for four levels of pieces, so none pile up. */
const PAGES_PER_BYTE = 1 / 200;
const LEAST_PAGES = 8;
/** So much text may wait for its place in the indexes: five to ten seconds of work for whoever searches right after a flood. */
export const MOST_OWED_BYTES = 16 * 1024 * 1024;
/** What is owed is made up for in portions of this size, about ten milliseconds each. */
const PORTION_BYTES = 32 * 1024;
/** However short they are: more than one transaction can have written. */
const MOST_AT_ONCE = 2 * MAX_BATCH;
/** So much text enters the indexes in one transaction at most: three times as much goes into the log. The rest is owed. */
const MOST_BYTES_AT_ONCE = 4 * 1024 * 1024;

/**
 * Keeps the search indexes up with the messages that one connection writes, inside its transactions, at their end. Which messages
 * are in no index yet is written in the database (006-search-index.ts), so a crash forgets none of them.
 */
export interface SearchIndexer {
  /** Indexes what was written, unless something older was put off. */
  catchUp(): void;
  /** Leaves what was written for later, unless too much has gathered. */
  putOff(): void;
  /** Indexes a portion of what was put off. */
  makeUp(): void;
  /** Takes into account that another connection has indexed something of it. */
  note(indexed: Indexed): void;
  /** Forgets what is in the indexes. All of it is owed from then on. */
  letGo(): void;
  /** How much text was put off and not made up for. */
  readonly owedBytes: number;
  /** How much that may be. */
  mostOwedBytes: number;
}

/** A portion that was indexed, and whether something is left. */
export interface Indexed {
  readonly textBytes: number;
  readonly isLeft: boolean;
}

export function createSearchIndexer(db: Connection): SearchIndexer {
  let owedBytes = 0;
  let countedUpTo = 0;
  const note = ({ textBytes, isLeft }: Indexed) => {
    // What is left and was not counted is another's, and still somebody has to see to it.
    owedBytes = isLeft ? Math.max(1, owedBytes - textBytes) : 0;
  };
  const index = (mostBytes: number) => note(indexMessages(db, mostBytes));
  const putOff = () => {
    const { last, textBytes } = unindexed(db, countedUpTo);
    countedUpTo = last ?? countedUpTo;
    owedBytes += textBytes;
    // More than what came, so that less is owed each time.
    if (owedBytes > indexer.mostOwedBytes) index(Math.min(MOST_OWED_BYTES, Math.max(PORTION_BYTES, 2 * textBytes)));
  };
  const putOffAll = () => {
    // Nobody asks how much that is, which would mean to look at every message.
    countedUpTo = newestMessage(db);
    note({ textBytes: 0, isLeft: isIndexBehind(db) });
  };
  // Whoever writes next makes up for what another left to do, but not where there is no room for that.
  if (onTightDisk(db)) putOffAll();
  const indexer: SearchIndexer = {
    catchUp: () => (owedBytes > 0 ? putOff() : index(MOST_BYTES_AT_ONCE)),
    putOff,
    makeUp: () => index(PORTION_BYTES),
    note,
    letGo() {
      forgetIndexes(db);
      putOffAll();
    },
    get owedBytes() {
      return owedBytes;
    },
    mostOwedBytes: MOST_OWED_BYTES,
  };
  return indexer;
}

/** Whether there are messages, of whatever process, that a search would not find; of all, or up to a number. */
export function isIndexBehind(db: Connection, upTo = Number.MAX_SAFE_INTEGER): boolean {
  const first = db.sql('SELECT 1 FROM messages WHERE id > (SELECT up_to FROM indexed) AND id <= ? LIMIT 1');
  return first.get(upTo) !== undefined;
}

/** The number of the newest message. */
export function newestMessage(db: Connection): number {
  return db.sql<[], number>('SELECT coalesce(max(id), 0) FROM messages').pluck().get() ?? 0;
}

/**
 * Puts messages that are in no index yet into both, the oldest first: at least one, and no more than so many bytes of text. All of
 * them go in by one statement for each index: SQLite writes out what an index has learned whenever a statement begins that could
 * fail half-way, and a piece of index for each message costs three times as much as one for all.
 */
export function indexMessages(db: Connection, mostBytes = Number.POSITIVE_INFINITY): Indexed {
  const indexed = addToIndexes(db, mostBytes);
  if (indexed.textBytes > 0) mergeIndexes(db, indexed.textBytes);
  return indexed;
}

/** The same without merging, for which whoever calls it has to see. */
export function addToIndexes(db: Connection, mostBytes: number): Indexed {
  const { last, ...portion } = nextPortion(db, mostBytes);
  if (last === undefined) return portion;
  for (const [index, text] of Object.entries(OF_MESSAGES))
    db.sql(`INSERT INTO ${index} (rowid, text) SELECT id, ${text} FROM messages
      WHERE id > (SELECT up_to FROM indexed) AND id <= ?`).run(last);
  db.sql('UPDATE indexed SET up_to = ?').run(last);
  return portion;
}

/** Builds an index anew from what is stored, messages as far as they have entered it before. */
export function buildIndexAnew(db: Connection, index: string): void {
  const text = (OF_MESSAGES as Readonly<Record<string, string>>)[index];
  if (text === undefined) return void db.sql(`INSERT INTO ${index} (${index}) VALUES ('rebuild')`).run();
  db.sql(`INSERT INTO ${index} (${index}) VALUES ('delete-all')`).run();
  db.sql(`INSERT INTO ${index} (rowid, text) SELECT id, ${text} FROM messages
    WHERE id <= (SELECT up_to FROM indexed)`).run();
}

/** The indexes of messages, and what of them goes into each. */
const OF_MESSAGES = {
  message_words: 'substr(text, 1, 100000)',
  message_parts: "substr(text, 1, 100000) || '  '",
};

function nextPortion(db: Connection, mostBytes: number): Indexed & { readonly last: number | undefined } {
  const waiting = db.sql<[], { id: number; bytes: number }>(
    `SELECT id, min(octet_length(text), 100000) AS bytes FROM messages WHERE id > (SELECT up_to FROM indexed) ORDER BY id`,
  );
  let last: number | undefined;
  let textBytes = 0;
  let count = 0;
  for (const { id, bytes } of waiting.iterate()) {
    if (count === MOST_AT_ONCE || (count > 0 && textBytes + bytes > mostBytes))
      return { last, textBytes, isLeft: true };
    last = id;
    textBytes += bytes;
    count += 1;
  }
  return { last, textBytes, isLeft: false };
}

/**
 * Merges pieces of the indexes, as much as text of this size calls for. Most calls find nothing to merge, and no call has much more
 * to do than another: whoever waits for the lock waits for a part of a merge, never for a whole one.
 */
export function mergeIndexes(db: Connection, textBytes: number): void {
  mergePages(db, LEAST_PAGES + Math.ceil(textBytes * PAGES_PER_BYTE));
}

/** Merges about so many pages of each index. Returns whether there was anything to merge. */
export function mergePages(db: Connection, pages: number): boolean {
  const changes = db.sql<[], number>('SELECT total_changes()').pluck();
  const before = changes.get() ?? 0;
  // FTS5 takes whole numbers only, and a plain number is bound as a fraction.
  db.sql(`INSERT INTO message_words (message_words, rank) VALUES ('merge', ?)`).run(BigInt(pages));
  db.sql(`INSERT INTO message_parts (message_parts, rank) VALUES ('merge', ?)`).run(BigInt(pages));
  // Each of the two counts as one change itself.
  return (changes.get() ?? 0) - before > 2;
}

/**
 * Empties both indexes. To take messages out of them one by one means to write more than the messages had, and what that frees
 * comes back only when everything was merged; this writes next to nothing, and most of the database is free at once. From the
 * messages the indexes are built anew.
 */
function forgetIndexes(db: Connection): void {
  for (const index of ['message_words', 'message_parts'])
    db.sql(`INSERT INTO ${index} (${index}) VALUES ('delete-all')`).run();
  db.sql('UPDATE indexed SET up_to = 0').run();
}

/** What is in no index yet, of the messages after a number. */
function unindexed(db: Connection, after: number): { last: number | null; textBytes: number } {
  const row = db
    .sql<[number], { last: number | null; textBytes: number }>(
      `SELECT max(id) AS last, coalesce(sum(min(octet_length(text), 100000)), 0) AS textBytes
       FROM messages WHERE id > max(?, (SELECT up_to FROM indexed))`,
    )
    .get(after);
  return row ?? { last: null, textBytes: 0 };
}
