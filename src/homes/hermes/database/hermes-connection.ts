import { join } from 'node:path';
import {
  type GuestConnection,
  type GuestDatabase,
  openGuest,
  readGuest,
} from '../../../platform/sqlite/guest-database.ts';

/** The database of a Hermes home, in which Coppice is a guest. */
export type HermesDatabase = GuestDatabase;
export type HermesConnection = GuestConnection;

/** Opens it for reading only. See `openGuest`. */
export function openHermes(home: string, options?: { readonly locked?: boolean }): HermesConnection {
  return openGuest(databaseOf(home), options);
}

/** Opens it, reads, closes. See `readGuest`. */
export function readHermes<T>(home: string, read: (hermes: HermesConnection) => Promise<T>): Promise<T> {
  return readGuest(databaseOf(home), read);
}

export function databaseOf(home: string): string {
  return join(home, 'state.db');
}
