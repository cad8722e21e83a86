import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createHermesDriver } from '../../src/homes/hermes/taking/hermes-driver.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { doneAll, itemsFor, RUN } from '../../src/homes/tested-home.conformance.ts';
import { dumpHermes, hermesProblems } from '../support/hermes-dump.ts';
import { buildHermesHome, HERMES_NOW, type HermesHomeSpec, type HermesSessionSpec } from '../support/hermes-home.ts';
import { tempDir } from '../support/temp-dir.ts';

function makeHome(spec: HermesHomeSpec, onHeld: (db: Database) => void = () => undefined) {
  const home = buildHermesHome(join(tempDir(), 'hermes'), spec);
  const companion = nativeLayout(join(home, '.coppice'));
  const db = new BetterSqlite3(join(home, 'state.db'));
  const held = () => onHeld(db);
  const driver = createHermesDriver({ home, clock: { now: () => HERMES_NOW }, companion, onHeld: held });
  return { home, db, driver, dump: () => dumpHermes(home, ['word']) };
}

/** Short sessions, one of many messages, one of long ones, and some without any. */
const SESSIONS: readonly HermesSessionSpec[] = [
  ...Array.from({ length: 100 }, (_, at) => ({ id: `short ${at}`, messages: ['word', 'x '.repeat(5 * at)] })),
  { id: 'many', messages: Array.from({ length: 300 }, (_, at) => `word ${at}`) },
  { id: 'long', messages: Array.from({ length: 10 }, (_, at) => `word ${at} `.repeat(2000)) },
  ...Array.from({ length: 110 }, (_, at) => ({ id: `empty ${at}` })),
];

describe('the steps in which sessions of Hermes go and come back', () => {
  it('deal with so many rows and so much text each, and no more', async () => {
    const steps: { sessions: number; rows: number; bytes: number }[] = [];
    const state = { sessions: 0, rows: 0, bytes: 0 };
    const { driver, dump, home, db } = makeHome({ sessions: SESSIONS }, (watcher) => {
      const now = measure(watcher);
      steps.push({
        sessions: Math.abs(now.sessions - state.sessions),
        rows: Math.abs(now.rows - state.rows),
        bytes: Math.abs(now.bytes - state.bytes),
      });
      Object.assign(state, now);
    });
    Object.assign(state, measure(db));
    const before = dump();
    const items = await itemsFor(
      { driver },
      SESSIONS.map(({ id }) => id),
      'remove',
    );
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(state.rows).toBe(0);
    expect(await driver.restore(RUN, items)).toEqual(doneAll(items));
    expect(dump()).toEqual(before);
    expect(hermesProblems(home)).toEqual([]);
    const most = (of: 'sessions' | 'rows' | 'bytes') => Math.max(...steps.map((step) => step[of]));
    expect(most('sessions')).toBeLessThanOrEqual(100);
    expect(most('rows')).toBeLessThanOrEqual(1000);
    expect(most('bytes')).toBeLessThanOrEqual(500_000);
    // And not one by one either.
    expect(steps.filter(({ sessions }) => sessions > 1).length).toBeGreaterThan(2);
  });

  it('deal with one long message at a time, whichever of its columns is long', async () => {
    const long = 'word '.repeat(21_000);
    const steps: number[] = [];
    const state = { bytes: 0 };
    const { driver, dump, db } = makeHome(
      {
        schema: 30,
        sessions: [
          { id: 'one', messages: ['word', long, long] },
          { id: 'two', messages: [long] },
          { id: 'three', messages: Array.from({ length: 6 }, () => 'word') },
        ],
      },
      (watcher) => {
        const { bytes } = measure(watcher);
        steps.push(Math.abs(bytes - state.bytes));
        state.bytes = bytes;
      },
    );
    db.prepare(`UPDATE messages SET reasoning_content = ? WHERE session_id = 'three' AND id % 2 = 0`).run(long);
    state.bytes = measure(db).bytes;
    const before = dump();
    const items = await itemsFor({ driver }, ['one', 'two', 'three'], 'remove');
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(await driver.restore(RUN, items)).toEqual(doneAll(items));
    expect(dump()).toEqual(before);
    expect(steps.filter((bytes) => bytes >= long.length)).toHaveLength(2 * 6);
    expect(Math.max(...steps)).toBeLessThan(1.5 * long.length);
  });

  it('bring back all but the one that the database refuses', async () => {
    const ids = ['one', 'two', 'three'];
    const { driver, dump, db } = makeHome({
      sessions: ids.map((id) => ({ id, title: id, messages: ['word'], files: ['dump'] })),
    });
    const items = await itemsFor({ driver }, ids, 'remove');
    const before = dump();
    await driver.discard(RUN, items);
    db.exec(`INSERT INTO sessions (id, source, started_at, title) VALUES ('other', 'cli', 1, 'two')`);
    const outcomes = await driver.restore(RUN, items);
    expect(outcomes).toEqual([
      { number: 1, status: 'done' },
      { number: 2, status: 'skipped', detail: 'Another session has its title by now. Rename that one first.' },
      { number: 3, status: 'done' },
    ]);
    db.exec(`DELETE FROM sessions WHERE id = 'other'`);
    expect(await driver.restore(RUN, items)).toEqual(doneAll(items));
    expect(dump()).toEqual(before);
  });
});

function measure(db: Database): { sessions: number; rows: number; bytes: number } {
  const number = (sql: string) => Number(db.prepare(sql).pluck().get());
  return {
    sessions: number('SELECT count(*) FROM sessions'),
    rows: number('SELECT count(*) FROM messages'),
    bytes: number(
      'SELECT ifnull(sum(octet_length(content) + ifnull(octet_length(reasoning_content), 0)), 0) FROM messages',
    ),
  };
}
