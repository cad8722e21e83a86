import type { Database } from 'better-sqlite3';
import type { BookedPart, BookedSession, SearchBook, SessionNote } from '../../../core/stores/search-book.ts';
import { withBook } from '../database/sqlite-errors.ts';
import { countLeftOut, usedBytes } from './book-room.ts';
import { bookUpkeep } from './book-upkeep.ts';
import { findInBook } from './find-blocks.ts';
import { openFindingDatabase } from './finding-schema.ts';
import { sessionKeys } from './session-keys.ts';
import { type Transact, writePart } from './part-writer.ts';

/** A transaction of another process may take in some megabytes of text. */
const BUSY_WAIT_MS = 15_000;
const REMEDY = 'It only helps to search. Build it anew with: coppice sessions index --rebuild';

/**
 * Opens the index over the conversations of all homes: a database of its own. Transactions are short, and two processes can read
 * transcripts into it at once: each part of a conversation is written by one of them.
 */
export function openSearchBook(path: string): SearchBook {
  const said = <T>(work: () => T): T => withBook({ path, waitsMs: BUSY_WAIT_MS, remedy: REMEDY }, work);
  const db = said(() => openFindingDatabase(path, BUSY_WAIT_MS));
  const transact: Transact = (work) => said(() => db.transaction(work).immediate());
  const placeOf = (place: string) =>
    db.prepare<[string], number>('SELECT key FROM places WHERE path = ?').pluck().get(place);
  const session = sessionKeys(db);
  const { drop, tidy, erase, clear, makeRoom } = bookUpkeep(db, { said, transact, session, placeOf });
  return {
    sessions: (place) => said(() => bookedSessions(db, place)),
    write(place, part) {
      const keys = transact(() => session.add(place, part.id));
      return writePart(db, transact, { ...part, ...keys });
    },
    note: (place, notes) =>
      transact(() => {
        for (const note of notes) writeNote(db, session.add(place, note.id).session, note);
      }),
    drop,
    erase,
    clear,
    find: (place, query) =>
      said(() => {
        const key = placeOf(place);
        return key === undefined ? [] : findInBook(db, key, query);
      }),
    leftOut: (place) => said(() => countLeftOut(db, place)),
    makeRoom,
    onlyRead: db.readonly,
    get sizeBytes() {
      return said(() => usedBytes(db));
    },
    tidy,
    [Symbol.dispose]: () => db.close(),
  };
}

function writeNote(db: Database, key: number, { stamp, archived, leftOut, lastActiveAt, title }: SessionNote): void {
  db.prepare(
    'UPDATE sessions SET stamp = ?, archived = ?, left_out = ?, last_active_at = ?, title = ? WHERE key = ?',
  ).run(stamp, Number(archived), Number(leftOut), lastActiveAt, title?.toWellFormed() ?? null, key);
}

interface SessionRow {
  readonly key: number;
  readonly id: string;
  readonly stamp: string;
  readonly archived: number;
  readonly left_out: number;
  readonly last_active_at: number;
}

interface PartRow {
  readonly session: number;
  readonly name: string;
  readonly size_bytes: number;
  readonly modified_at: number;
  readonly inode: number;
  readonly read_bytes: number;
  readonly mark: string | null;
  readonly whole: number;
}

function bookedSessions(db: Database, place: string): ReadonlyMap<string, BookedSession> {
  const rows = db
    .prepare<[string], SessionRow>('SELECT sessions.* FROM sessions JOIN places ON places.key = place WHERE path = ?')
    .all(place);
  const parts = new Map<number, BookedPart[]>(rows.map(({ key }) => [key, []]));
  const all = db.prepare<[string], PartRow>(
    `SELECT parts.* FROM parts JOIN sessions ON sessions.key = session JOIN places ON places.key = place WHERE path = ?`,
  );
  for (const row of all.iterate(place)) parts.get(row.session)?.push(bookedPart(row));
  return new Map(
    rows.map(({ key, id, stamp, archived, left_out: leftOut, last_active_at: lastActiveAt }) => [
      id,
      { stamp, archived: archived === 1, leftOut: leftOut === 1, lastActiveAt, parts: parts.get(key) ?? [] },
    ]),
  );
}

function bookedPart(row: PartRow): BookedPart {
  return {
    name: row.name,
    stamp: { sizeBytes: row.size_bytes, modifiedAt: row.modified_at, inode: row.inode },
    readBytes: row.read_bytes,
    mark: row.mark ?? undefined,
    whole: row.whole === 1,
  };
}
