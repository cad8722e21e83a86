import BetterSqlite3 from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { manualClock, NOW } from '../../../test/support/clock.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { DAY_MS, MINUTE_MS } from '../../core/time.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { claimedSessions, goneHolders } from './active-sessions.ts';

describe('who holds a session', () => {
  let store: SessionStore;
  let database: string;

  beforeEach(async () => {
    const root = tempDir();
    database = nativeLayout(root).database;
    store = await openNativeStore(root);
    onTestFinished(() => store[Symbol.asyncDispose]());
    await store.create({ id: 's', source: 'cli' });
  });

  function change(sql: string): void {
    const db = new BetterSqlite3(database);
    db.exec(sql);
    db.close();
  }

  const held = async (at: number) => [...(await claimedSessions(store, manualClock(at)))];

  it('is a process that lives, however long ago it gave a sign and whatever the clock says', async () => {
    for (const at of [NOW, NOW + 30 * DAY_MS, NOW + 3650 * DAY_MS]) {
      expect(await held(at)).toEqual(['s']);
      expect(await goneHolders(store, manualClock(at))).toEqual([]);
    }
  });

  it('is nobody once the process is gone, at once', async () => {
    change(`UPDATE holders SET process_started_at = '1'`);
    expect(await held(NOW)).toEqual([]);
    expect(await goneHolders(store, manualClock(NOW))).toHaveLength(1);
  });

  it('is a process elsewhere as long as it gives signs, which a clock in doubt cannot measure', async () => {
    change(`UPDATE holders SET host = 'elsewhere', boot_id = 'another'`);
    expect(await held(NOW + 10 * MINUTE_MS - 1)).toEqual(['s']);
    expect(await held(NOW + 10 * MINUTE_MS)).toEqual([]);
    expect(await held(NOW + 3650 * DAY_MS)).toEqual(['s']);
    expect(await goneHolders(store, manualClock(NOW + 3650 * DAY_MS))).toEqual([]);
  });
});
