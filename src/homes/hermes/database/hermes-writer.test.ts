import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { buildHermesHome } from '../../../../test/support/hermes-home.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { openHermesWriter } from './hermes-writer.ts';

it('makes changes survive a power cut even while somebody reads, by one more that is synced', async () => {
  const home = buildHermesHome(join(tempDir(), 'hermes'), { sessions: [{ id: 's', messages: ['hello'] }] });
  const path = join(home, 'state.db');
  const reader = new BetterSqlite3(path, { readonly: true });
  const watcher = new BetterSqlite3(path, { readonly: true });
  const commits = () => watcher.pragma('data_version', { simple: true });
  const schema = () => watcher.prepare('SELECT version FROM schema_version').pluck().all();
  {
    using hermes = openHermesWriter(home);
    await hermes.write(() => hermes.db.exec(`UPDATE sessions SET title = 'one'`));
    const written = commits();
    await hermes.settle();
    expect(commits()).toBe(written);
    // A reader of an older state keeps the log from being moved into the database.
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM sessions').get();
    await hermes.write(() => hermes.db.exec(`UPDATE sessions SET title = 'two'`));
    const later = commits();
    await hermes.settle();
    expect(commits()).not.toBe(later);
    expect(schema()).toEqual([25]);
  }
  reader.close();
  watcher.close();
});
