import { goesOn, type Use, useOf } from '../../../core/sessions/in-use.ts';
import type { Connection } from '../database/connection.ts';
import { factsOf, type SessionRow } from '../../rows/session-rows.ts';

/** Why a session of this store is in use now, asked under the write lock; claims of dead holders do not count. */
export function rowUse(db: Connection, row: SessionRow, deadHolders: readonly string[]): Use | undefined {
  const facts = factsOf(row);
  return useOf({ ...facts, active: isLeased(db, row, deadHolders), routed: goesOn(facts) && isNamed(db, row) });
}

function isLeased(db: Connection, { key }: SessionRow, deadHolders: readonly string[]): boolean {
  const claim = db.sql<[number, string], unknown>(
    'SELECT 1 FROM leases WHERE session_key = ? AND holder_id NOT IN (SELECT value FROM json_each(?))',
  );
  return claim.get(key, JSON.stringify(deadHolders)) !== undefined;
}

function isNamed(db: Connection, { key }: SessionRow): boolean {
  return db.sql<[number], unknown>('SELECT 1 FROM routes WHERE session_key = ?').get(key) !== undefined;
}
