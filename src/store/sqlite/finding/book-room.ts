import type { Database } from 'better-sqlite3';
import type { Transact } from './part-writer.ts';

/** A session that takes room. */
export interface RoomySession {
  readonly key: number;
  readonly place: string;
  readonly id: string;
}

/** Of all places what was used longest ago, and only before a time: so much that about so many bytes come free. */
export function oldestSessions(db: Database, bytes: number, before: number): readonly RoomySession[] {
  const chosen: RoomySession[] = [];
  let freed = 0;
  for (const { textBytes, ...session } of db
    .prepare<[number], RoomySession & { textBytes: number }>(OLDEST)
    .iterate(before)) {
    if (freed >= bytes) break;
    freed += textBytes * WITH_PIECES;
    chosen.push(session);
  }
  return chosen;
}

const OLDEST = `SELECT sessions.key, path AS place, id, (
    SELECT coalesce(sum(length(body)), 0) FROM blocks JOIN texts ON block = blocks.key WHERE blocks.session = sessions.key
  ) AS textBytes
  FROM sessions JOIN places ON places.key = place
  WHERE left_out = 0 AND last_active_at < ? AND EXISTS (SELECT 1 FROM parts WHERE session = sessions.key)
  ORDER BY last_active_at, id`;
/** The pieces of a text take about half as much as the text does. */
const WITH_PIECES = 1.4;

export function countLeftOut(db: Database, place: string): number {
  const count = db.prepare<[string], number>(
    'SELECT count(*) FROM sessions JOIN places ON places.key = place WHERE path = ? AND left_out = 1',
  );
  return count.pluck().get(place) ?? 0;
}

/** What is in use of the file. */
export function usedBytes(db: Database): number {
  const [pages = 0, free = 0, size = 0] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
    Number(db.pragma(name, { simple: true })),
  );
  return (pages - free) * size;
}

export function emptyBook(db: Database): void {
  for (const table of ['texts', 'blocks', 'parts', 'sessions', 'places']) db.exec(`DELETE FROM ${table}`);
  db.exec(`INSERT INTO block_parts (block_parts) VALUES ('delete-all')`);
}

const MERGED_PAGES = 500;

/** Merges all of the index, so that nothing is left of what was taken out; in steps, so that nobody waits long. */
export function mergeAll(db: Database, transact: Transact): void {
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck();
  const merge = db.prepare(`INSERT INTO block_parts (block_parts, rank) VALUES ('merge', ?)`);
  // A number below zero begins a merge of all pieces, others go on with it.
  for (let pages = -MERGED_PAGES; ; pages = MERGED_PAGES) {
    const before = changes.get() ?? 0;
    transact(() => merge.run(BigInt(pages)));
    if ((changes.get() ?? 0) - before < 2) return;
  }
}
