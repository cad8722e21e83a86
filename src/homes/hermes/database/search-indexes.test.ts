import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { dumpHermes, hermesProblems } from '../../../../test/support/hermes-dump.ts';
import { buildHermesHome } from '../../../../test/support/hermes-home.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { searchIndexes } from './search-indexes.ts';

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
    for (const { merge } of searchIndexes(db)) {
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

it('merges everything into one part, in which nothing is left of what is gone, while others go on writing', () => {
  const home = buildHermesHome(join(tempDir(), 'hermes'), { sessions: [{ id: 's' }] });
  const db = new BetterSqlite3(join(home, 'state.db'));
  const hermes = new BetterSqlite3(join(home, 'state.db'));
  const say = `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', ?, 1)`;
  const [ours, theirs] = [db.prepare(say), hermes.prepare(say)];
  const text = (at: number) =>
    Array.from({ length: 2000 }, (_, word) => `${(at * 7919 + word * 104_729) % 1e6}`).join(' ');
  ours.run('quagmire');
  for (let at = 0; at < 30; at += 1) ours.run(text(at));
  db.exec(`DELETE FROM messages WHERE content = 'quagmire'`);
  const left = (index: string) =>
    db.prepare(`SELECT count(*) FROM ${index}_data WHERE instr(block, CAST('qua' AS BLOB)) > 0`).pluck().get();
  const indexes = ['messages_fts', 'messages_fts_trigram'];
  expect(indexes.map(left)).not.toContain(0);
  for (const { mergeAll } of searchIndexes(db)) {
    let rounds = 0;
    for (let more = true; more; rounds += 1) {
      more = mergeAll(rounds === 0);
      if (rounds < 50) theirs.run(`meanwhile ${rounds}`);
    }
    expect(rounds).toBeGreaterThan(2);
  }
  expect(indexes.map(left)).toEqual([0, 0]);
  for (const connection of [db, hermes]) connection.close();
  expect(hermesProblems(home)).toEqual([]);
});
