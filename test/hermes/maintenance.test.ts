import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { HOUR_MS } from '../../src/core/time.ts';
import { openHome } from '../../src/index.ts';
import { manualClock } from '../support/clock.ts';
import { buildHermesHome, HERMES_NOW } from '../support/hermes-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const SETTINGS = [
  { key: 'sessions.auto_prune', value: 'true' },
  { key: 'sessions.min_interval_hours', value: '24' },
];

it('counts the unattended passes of Hermes, tells Hermes of its own, and is never kept away for long', async () => {
  const path = buildHermesHome(join(tempDir(), 'hermes'), { sessions: [{ id: 'plain', messages: ['hello'] }] });
  const clock = manualClock(HERMES_NOW);
  await using home = await openHome({ path, clock, settings: SETTINGS });
  const passAt = async (hours: number) => {
    clock.set(HERMES_NOW + hours * HOUR_MS);
    return (await home.maintainInBackground()).status;
  };
  // The first only says what it would do, and Hermes need not know of it.
  expect(await passAt(-24)).toBe('done');
  expect(stamp(path)).toBeNaN();
  expect(await passAt(0)).toBe('done');
  expect(stamp(path)).toBe(HERMES_NOW / 1000);
  expect(await passAt(23)).toBe('not-due');

  stamp(path, HERMES_NOW + 20 * HOUR_MS);
  expect(await passAt(25)).toBe('not-due');
  expect(await passAt(44)).toBe('done');

  stamp(path, HERMES_NOW + 91 * HOUR_MS);
  expect(await passAt(92)).toBe('done');
});

/** What Hermes reads and writes before and after it prunes. */
function stamp(path: string, at?: number): number {
  const db = new BetterSqlite3(join(path, 'state.db'));
  if (at !== undefined) db.prepare(`UPDATE state_meta SET value = ? WHERE key = 'last_auto_prune'`).run(`${at / 1000}`);
  const value = db.prepare(`SELECT value FROM state_meta WHERE key = 'last_auto_prune'`).pluck().get();
  db.close();
  return Number(value);
}
