import { goesOn, type Use, useOf } from '../../../core/sessions/in-use.ts';
import { factsOf, type SessionRow } from '../../rows/session-rows.ts';
import type { Sql } from '../database/sql.ts';

/** Why a session is in use now, asked while its row is locked; claims of dead holders do not count. */
export async function rowUse(tx: Sql, row: SessionRow, deadHolders: readonly string[]): Promise<Use | undefined> {
  const facts = factsOf(row);
  const active = await isLeased(tx, row, deadHolders);
  return useOf({ ...facts, active, routed: goesOn(facts) && (await isNamed(tx, row)) });
}

async function isLeased(tx: Sql, { key }: SessionRow, deadHolders: readonly string[]): Promise<boolean> {
  const claim = await tx.get(
    'SELECT 1 FROM coppice.leases WHERE session_key = ? AND holder_id <> ALL (?::text[]) LIMIT 1',
    key,
    deadHolders,
  );
  return claim !== undefined;
}

async function isNamed(tx: Sql, { key }: SessionRow): Promise<boolean> {
  return (await tx.get('SELECT 1 FROM coppice.routes WHERE session_key = ? LIMIT 1', key)) !== undefined;
}
