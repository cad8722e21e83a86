import type { EpochMs } from '../../../core/time.ts';
import { findDamage } from './check-hermes-database.ts';
import { type HermesDatabase, readHermes } from './hermes-connection.ts';
import { openHermesWriter } from './hermes-writer.ts';

/** When Hermes, or Coppice in its place, last did something to its database by itself. */
export type StampName = 'last_auto_prune' | 'last_vacuum';

/** When sessions were last cut back unattended, by Hermes or by Coppice in its place. */
export async function lastAutoPruneAt(home: string, now: EpochMs): Promise<EpochMs | undefined> {
  return readHermes(home, async (hermes) => readStamp(hermes, 'last_auto_prune', now));
}

/**
 * Notes an unattended run where Hermes looks, so that it does not do the same once more. Not in a damaged database, where nothing was
 * cut back, and where what is written may land on a page that is in use.
 */
export async function noteAutoPrune(home: string, now: EpochMs): Promise<void> {
  if ((await findDamage(home)) !== undefined) return;
  using hermes = openHermesWriter(home);
  await hermes.write(() => writeStamp(hermes, 'last_auto_prune', now));
}

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
