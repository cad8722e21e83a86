import type { UsageReport } from '../../../core/sessions/session.ts';
import type { UsageOptions } from '../../../core/stores/session-writer.ts';
import type { EpochMs } from '../../../core/time.ts';
import { digestOf } from '../database/bound-text.ts';
import type { Sql } from '../database/sql.ts';
import { addUsage } from './session-writes.ts';

/** Where an id of usage is remembered: as many characters as the index of `meta` knows. */
const PREFIX = 'usage:';

export interface UsageToRecord extends UsageOptions {
  readonly id: string;
  readonly report: UsageReport;
  readonly now: EpochMs;
}

/** Adds usage to a session, unless it was added under the same id before: both are looked at and changed in one transaction. */
export async function recordUsageOnce(tx: Sql, { id, report, now, ...options }: UsageToRecord): Promise<void> {
  const { once, forget = [], late = false } = options;
  await forgetUsageIds(tx, forget);
  if (once !== undefined) {
    const key = `${PREFIX}${once}`;
    const added = await tx.run(
      `INSERT INTO coppice.meta (space, key_digest, key, value) VALUES (:space, ?, ?, '') ON CONFLICT DO NOTHING`,
      digestOf(key),
      key,
    );
    if (added === 0) return;
  }
  await addUsage(tx, { id, report, now: late ? 0 : now });
}

export async function usageIds(sql: Sql): Promise<readonly string[]> {
  const rows = await sql.all<{ key: string }>(
    'SELECT key FROM coppice.meta WHERE space = :space AND substr(key, 1, 6) = ? ORDER BY key',
    PREFIX,
  );
  return rows.map(({ key }) => key.slice(PREFIX.length));
}

export async function forgetUsageIds(tx: Sql, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(
    'DELETE FROM coppice.meta WHERE space = :space AND key_digest = ANY (?::text[])',
    ids.map((id) => digestOf(`${PREFIX}${id}`)),
  );
}
