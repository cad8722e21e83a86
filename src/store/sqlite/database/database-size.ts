import type { Connection } from './connection.ts';

/** What the database takes, free pages included. */
export function databaseBytes(db: Connection): number {
  return pragmaNumber(db, 'page_count') * pragmaNumber(db, 'page_size');
}

export function pragmaNumber({ raw }: Connection, name: string): number {
  return Number(raw.pragma(name, { simple: true }));
}
