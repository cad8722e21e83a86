import type { Database } from 'better-sqlite3';

/** Moves all of the log into the database and cuts it to nothing, under the write lock. False where others would not let it. */
export function emptyLog(raw: Database): boolean {
  const [row] = raw.pragma('wal_checkpoint(TRUNCATE)') as readonly { readonly busy: number }[];
  return row?.busy === 0;
}
