import type { Database } from 'better-sqlite3';

export interface SessionKeys {
  find(place: string, id: string): number | undefined;
  /** Gives out numbers inside the transaction that needs them. */
  add(place: string, id: string): { readonly place: number; readonly session: number };
}

/** The numbers of sessions and of their places. */
export function sessionKeys(db: Database): SessionKeys {
  const findPlace = db.prepare<[string], number>('SELECT key FROM places WHERE path = ?').pluck();
  const addPlace = db.prepare<[string], number>('INSERT INTO places (path) VALUES (?) RETURNING key').pluck();
  const find = db
    .prepare<[string, string], number>(
      'SELECT sessions.key FROM sessions JOIN places ON places.key = place WHERE path = ? AND id = ?',
    )
    .pluck();
  const add = db
    .prepare<[number, string], number>('INSERT INTO sessions (place, id) VALUES (?, ?) RETURNING key')
    .pluck();
  return {
    find: (place: string, id: string) => find.get(place, id),
    add(path: string, id: string) {
      const place = findPlace.get(path) ?? addPlace.get(path) ?? 0;
      return { place, session: find.get(path, id) ?? add.get(place, id) ?? 0 };
    },
  };
}
