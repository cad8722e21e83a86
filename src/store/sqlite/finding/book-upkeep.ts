import type { Database } from 'better-sqlite3';
import type { SearchBook } from '../../../core/stores/search-book.ts';
import { emptyBook, mergeAll, oldestSessions, usedBytes } from './book-room.ts';
import { dropBlocks, type Transact } from './part-writer.ts';
import type { SessionKeys } from './session-keys.ts';

interface Upkeep {
  /** Says in a sentence what goes wrong. */
  readonly said: <T>(work: () => T) => T;
  readonly transact: Transact;
  readonly session: SessionKeys;
  readonly placeOf: (path: string) => number | undefined;
}

/** Takes things out of the index again. */
export function bookUpkeep(
  db: Database,
  { said, transact, session, placeOf }: Upkeep,
): Pick<SearchBook, 'drop' | 'tidy' | 'erase' | 'clear' | 'makeRoom'> {
  const drop: SearchBook['drop'] = (place, id, names) => {
    const [at, key] = [placeOf(place), session.find(place, id)];
    if (at === undefined || key === undefined) return;
    for (const part of partsOf(db, key, names)) {
      // Whoever reads it just now writes nothing more of it.
      transact(() => db.prepare('UPDATE parts SET reader = NULL, whole = 0, size_bytes = -1 WHERE key = ?').run(part));
      dropBlocks(db, transact, { part, place: at });
      transact(() => db.prepare(DELETE_EMPTY_PART).run(part, part));
    }
    if (names === undefined) transact(() => db.prepare(DELETE_EMPTY_SESSION).run(key));
  };
  const tidy = () =>
    said(() => {
      db.pragma('incremental_vacuum');
      db.pragma('wal_checkpoint(PASSIVE)');
    });
  /** Pages as they were before stand in the log until it is emptied. */
  const emptyLog = () => said(() => void db.pragma('wal_checkpoint(TRUNCATE)'));
  return {
    drop,
    tidy(readBytes) {
      if (readBytes > MERGED_AFTER_BYTES && readBytes > usedBytes(db) * MERGED_AFTER_SHARE) mergeAll(db, transact);
      tidy();
    },
    erase(place, ids) {
      for (const id of ids) drop(place, id);
      // What was taken out stands in pieces of the index until they are merged.
      mergeAll(db, transact);
      tidy();
      emptyLog();
    },
    clear() {
      transact(() => emptyBook(db));
      tidy();
      emptyLog();
    },
    makeRoom(bytes, before) {
      const chosen = said(() => oldestSessions(db, bytes, before));
      for (const { key, place, id } of chosen) {
        transact(() => db.prepare('UPDATE sessions SET left_out = 1 WHERE key = ?').run(key));
        const names = db.prepare<[number], string>('SELECT name FROM parts WHERE session = ?').pluck().all(key);
        drop(place, id, names);
      }
      // What was taken out takes room until then, and more than before.
      if (chosen.length > 0) mergeAll(db, transact);
      tidy();
      return chosen.length > 0;
    },
  };
}

/** A merge takes a tenth of the time that reading the same text took. */
const MERGED_AFTER_BYTES = 8 * 1024 * 1024;
const MERGED_AFTER_SHARE = 0.25;

/** Another process may have begun to read it anew: then it is there until the next look. */
const DELETE_EMPTY_PART = 'DELETE FROM parts WHERE key = ? AND NOT EXISTS (SELECT 1 FROM blocks WHERE part = ?)';
const DELETE_EMPTY_SESSION =
  'DELETE FROM sessions WHERE key = ? AND NOT EXISTS (SELECT 1 FROM parts WHERE session = sessions.key)';

function partsOf(db: Database, session: number, names?: readonly string[]): number[] {
  const rows = db.prepare<[number], { key: number; name: string }>('SELECT key, name FROM parts WHERE session = ?');
  return rows.all(session).flatMap(({ key, name }) => (names === undefined || names.includes(name) ? [key] : []));
}
