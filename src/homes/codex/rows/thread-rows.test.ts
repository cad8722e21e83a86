import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { dumpDatabase, putDatabases } from '../../../../test/support/codex-databases.ts';
import { codexId, rolloutPath } from '../../../../test/support/codex-home.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { reasonsToOnlyShow } from '../codex-reasons.ts';
import { createThreadRows } from './thread-rows.ts';

const [ONE, TWO, LATER] = [codexId('1'), codexId('2'), codexId('3')] as const;
const FILES = ['state_5.sqlite', 'thread_history_1.sqlite', 'queue_1.sqlite', 'logs_2.sqlite'];
const { part } = createThreadRows((thread) => (thread === ONE ? [ONE, LATER] : [thread]));

function build(): string {
  const home = tempDir();
  const path = (id: string) => rolloutPath({ id });
  putDatabases(home, [
    { id: ONE, path: path(ONE), title: 'One', rollouts: [ONE, LATER] },
    { id: TWO, path: path(TWO), title: 'Two', parentId: ONE },
  ]);
  return home;
}

function change<T>(home: string, file: string, act: (db: Database) => T): T {
  const db = new BetterSqlite3(join(home, file));
  try {
    return act(db);
  } finally {
    db.close();
  }
}

const dump = (home: string) => FILES.flatMap((file) => dumpDatabase(join(home, file)).map((row) => `${file} ${row}`));
const copyOf = async (home: string, id: string) => (await part.copy(home, id)) ?? '';

describe('what a thread has in databases', () => {
  it('goes with it and comes back, row for row, whatever triggers do', async () => {
    const home = build();
    const before = dump(home);
    const copy = await copyOf(home, ONE);
    await part.takeOut(home, ONE, copy);
    await part.takeOut(home, ONE, copy);
    const others = before.filter((row) => row.includes(TWO) || !(row.includes(ONE) || row.includes(LATER)));
    expect(dump(home)).toEqual(others);
    expect(others.length).toBeLessThan(before.length - 10);
    await part.putBack(home, ONE, copy);
    await part.putBack(home, ONE, copy);
    expect(dump(home)).toEqual(before);
  });

  it('is nothing where it has no rows, and where there are no databases', async () => {
    expect(await part.copy(build(), codexId('9'))).toBeUndefined();
    expect(await part.copy(tempDir(), ONE)).toBeUndefined();
  });

  it('leaves rows that have come since, and in their place what came into it', async () => {
    const home = build();
    const copy = await copyOf(home, ONE);
    change(home, 'logs_2.sqlite', (db) => db.exec(`INSERT INTO logs (thread_id) VALUES ('${ONE}')`));
    await part.takeOut(home, ONE, copy);
    change(home, 'thread_history_1.sqlite', (db) => db.exec(`INSERT INTO thread_turns VALUES ('${ONE}', 'new', 0)`));
    await part.putBack(home, ONE, copy);
    const rows = dump(home);
    expect(rows.filter((row) => row.startsWith('logs_2') && row.includes(ONE))).toHaveLength(2);
    const turns = rows.filter((row) => row.includes('thread_turns') && row.includes(ONE));
    expect(turns).toEqual([expect.stringContaining('"turn_id":"new"')]);
  });

  it('comes back without the project that has gone meanwhile, and without a column that there is no longer', async () => {
    const home = build();
    const copy = await copyOf(home, ONE);
    await part.takeOut(home, ONE, copy);
    change(home, 'state_5.sqlite', (db) =>
      db.exec('PRAGMA foreign_keys = ON; DELETE FROM projects; ALTER TABLE threads ADD extra'),
    );
    change(home, 'logs_2.sqlite', (db) => db.exec('ALTER TABLE logs DROP COLUMN feedback_log_body'));
    await part.putBack(home, ONE, copy);
    const row = change(home, 'state_5.sqlite', (db) => db.prepare('SELECT * FROM threads WHERE id = ?').get(ONE));
    expect(row).toMatchObject({ title: 'One', recency_at: 7, recency_at_ms: 0, project_id: null, extra: null });
    expect(dump(home).filter((each) => each.startsWith('logs_2') && each.includes(ONE))).toHaveLength(1);
  });

  it('leaves out what is large and made anew by Codex, and takes it out all the same', async () => {
    const home = build();
    change(home, 'thread_history_1.sqlite', (db) =>
      db.prepare(`INSERT INTO thread_items VALUES (?, 't2', 'i2', ?)`).run(LATER, 'x'.repeat(33 * 1024 * 1024)),
    );
    const copy = await copyOf(home, ONE);
    expect(copy.length).toBeLessThan(10_000);
    await part.takeOut(home, ONE, copy);
    const items = () => dump(home).filter((row) => row.includes('thread_items') && !row.includes(TWO));
    expect(items()).toEqual([]);
    await part.putBack(home, ONE, copy);
    expect(items()).toEqual([]);
    expect(dump(home).filter((row) => row.includes('thread_turns') && !row.includes(TWO))).toHaveLength(2);
  });
});

describe('a database of Codex with something that is not known', () => {
  it.each([
    ['the table thread_dreams', 'CREATE TABLE thread_dreams (thread_id TEXT)'],
    ['the reference from mine to threads', 'CREATE TABLE mine (a TEXT REFERENCES threads(id))'],
    [
      'the reference from threads to mine',
      'CREATE TABLE mine (id TEXT PRIMARY KEY); ALTER TABLE threads ADD m TEXT REFERENCES mine(id)',
    ],
    ['the trigger mine', 'CREATE TRIGGER mine AFTER DELETE ON threads BEGIN DELETE FROM projects; END'],
    ['the table threads without id', 'ALTER TABLE threads RENAME COLUMN id TO own'],
  ])('is not changed: %s', async (what, sql) => {
    const home = build();
    change(home, 'state_5.sqlite', (db) => db.exec(sql));
    expect(part.obstacle?.(home)).toBe(
      `state_5.sqlite of Codex is not changed. It holds what is not known here: ${what}.`,
    );
    expect(await reasonsToOnlyShow(home)).toMatchObject([
      { message: `state_5.sqlite holds what is not known here: ${what}.` },
    ]);
  });

  it('may have more columns, indexes, and tables that have to do with no thread', async () => {
    const home = build();
    change(home, 'state_5.sqlite', (db) =>
      db.exec('ALTER TABLE threads ADD more TEXT; CREATE INDEX one ON threads(more); CREATE TABLE weather (day TEXT)'),
    );
    expect(part.obstacle?.(home)).toBeUndefined();
    expect(await reasonsToOnlyShow(home)).toEqual([]);
  });
});
