import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { dumpHermes, hermesProblems } from '../../../test/support/hermes-dump.ts';
import { buildHermesHome } from '../../../test/support/hermes-home.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { indexMerges } from './index-merges.ts';

for (const schema of [25, 30, 'legacy'] as const) {
  it(`merges the parts of the indexes until nothing is due, and changes nothing else (schema ${schema})`, () => {
    const home = buildHermesHome(join(tempDir(), 'hermes'), { schema, sessions: [{ id: 's' }] });
    const db = new BetterSqlite3(join(home, 'state.db'));
    const say = db.prepare(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', ?, 1)`);
    // Each adds a part, and fewer of them than SQLite merges of its own accord.
    for (let part = 0; part < 15; part += 1) say.run(`word${part} `.repeat(100));
    const parts = () =>
      ['messages_fts', 'messages_fts_trigram'].map((index) =>
        db.prepare(`SELECT count(DISTINCT segid) FROM ${index}_idx`).pluck().get(),
      );
    const settings = () => db.prepare('SELECT * FROM messages_fts_config, messages_fts_trigram_config').raw().all();
    const before = { parts: parts(), settings: settings(), dump: dumpHermes(home, ['word7']) };
    expect(before.parts).toEqual([15, 15]);
    for (const merge of indexMerges(db)) {
      let rounds = 0;
      while (merge()) rounds += 1;
      expect(rounds).toBeGreaterThan(0);
    }
    expect(parts().every((count) => Number(count) < 4)).toBe(true);
    expect(settings()).toEqual(before.settings);
    db.close();
    expect(dumpHermes(home, ['word7'])).toEqual(before.dump);
    expect(hermesProblems(home)).toEqual([]);
  });
}
