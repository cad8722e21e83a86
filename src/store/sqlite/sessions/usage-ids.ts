import type { UsageReport } from '../../../core/sessions/session.ts';
import type { UsageOptions } from '../../../core/stores/session-writer.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Connection } from '../database/connection.ts';
import { addUsage } from './session-writes.ts';

/** Where an id of usage is remembered. */
const PREFIX = 'usage:';

export interface UsageToRecord extends UsageOptions {
  readonly id: string;
  readonly report: UsageReport;
  readonly now: EpochMs;
}

/** Adds usage to a session, unless it was added under the same id before: both are looked at and changed in one transaction. */
export function recordUsageOnce(db: Connection, { id, report, now, ...options }: UsageToRecord): void {
  const { once, forget = [], late = false } = options;
  forgetUsageIds(db, forget);
  if (once !== undefined) {
    const { changes } = db.sql(`INSERT INTO meta VALUES (?, '') ON CONFLICT DO NOTHING`).run(`${PREFIX}${once}`);
    if (changes === 0) return;
  }
  addUsage(db, { id, report, now: late ? 0 : now });
}

export function usageIds(db: Connection): readonly string[] {
  return db
    .sql<[string, string], string>('SELECT key FROM meta WHERE key >= ? AND key < ?')
    .pluck()
    .all(PREFIX, `${PREFIX}\u{10ffff}`)
    .map((key) => key.slice(PREFIX.length));
}

export function forgetUsageIds(db: Connection, ids: readonly string[]): void {
  for (const id of ids) db.sql('DELETE FROM meta WHERE key = ?').run(`${PREFIX}${id}`);
}
