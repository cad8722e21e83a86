import type { EpochMs } from '../../core/time.ts';
import type { HermesDatabase } from './hermes-connection.ts';

/** When Hermes, or Coppice in its place, last did something to its database by itself. */
export type StampName = 'last_auto_prune' | 'last_vacuum';

/** Undefined when it never happened. One in the future says nothing: a clock was wrong. */
export function readStamp({ db }: HermesDatabase, name: StampName, now: EpochMs): EpochMs | undefined {
  const value = db.prepare<[string]>('SELECT value FROM state_meta WHERE key = ?').pluck().get(name);
  const at = typeof value === 'string' && value !== '' ? Math.floor(Number(value) * 1000) : Number.NaN;
  return Number.isFinite(at) && at <= now ? at : undefined;
}

export function writeStamp({ db }: HermesDatabase, name: StampName, now: EpochMs): void {
  const sql =
    'INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
  db.prepare(sql).run(name, String(now / 1000));
}
