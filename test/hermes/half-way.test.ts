import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HomeDriver } from '../../src/core/retention/home-driver.ts';
import type { ItemOutcome } from '../../src/core/retention/run.ts';
import { createHermesDriver } from '../../src/homes/hermes/taking/hermes-driver.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { doneAll, itemsFor, RUN } from '../../src/homes/tested-home.conformance.ts';
import { copyArchivingHermes } from '../support/hermes-archiving-home.ts';
import { dumpHermes, hermesProblems } from '../support/hermes-dump.ts';
import { refuseAtStatement, refuseMoves } from '../support/hermes-faults.ts';
import { buildHermesHome, HERMES_NOW } from '../support/hermes-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const MESSAGES = 4;

class Died extends Error {}

/** A home with a session that goes and comes back in several steps, and its driver. */
async function makeHome() {
  const home = buildHermesHome(join(tempDir(), 'hermes'), {
    sessions: [
      { id: 'long', messages: Array.from({ length: MESSAGES }, () => 'word '.repeat(8000)), files: ['dump'] },
      { id: 'other', messages: ['word'] },
    ],
  });
  const open = (onHeld?: () => void) =>
    createHermesDriver({
      home,
      clock: { now: () => HERMES_NOW },
      companion: nativeLayout(join(home, '.coppice')),
      ...(onHeld && { onHeld }),
    });
  const db = new BetterSqlite3(join(home, 'state.db'), { readonly: true });
  onTestFinished(() => void db.close());
  const there = db.prepare<[], number>(`SELECT count(*) FROM messages WHERE session_id = 'long'`).pluck();
  const isHalf = () => there.get() !== 0 && there.get() !== MESSAGES;
  const isGone = () => there.get() === 0;
  const driver = open();
  return {
    home,
    driver,
    isHalf,
    items: await itemsFor({ driver }, ['long'], 'remove'),
    dump: () => dumpHermes(home, ['word']),
    isGone,
    /** Dies as soon as some of the messages are there and others are not, or as soon as something else is so. */
    cutShort: async (act: (dying: HomeDriver) => Promise<unknown>, isMoment: () => boolean = isHalf) => {
      const dying = open(() => {
        if (isMoment()) throw new Died('died');
      });
      await expect(act(dying)).rejects.toThrow(Died);
    },
  };
}

/** Goes on with what was cut short, and is refused at one statement after the other until it gets through. */
async function goOnRefused(isHalf: () => boolean, act: () => Promise<readonly ItemOutcome[]>): Promise<number> {
  let number = 0;
  while (isHalf()) {
    number += 1;
    await refuseAtStatement({ number, code: 'SQLITE_CONSTRAINT_TRIGGER' }, async () => {
      const outcomes = await act();
      // Anything else would let go of what is in the trash, or of what is needed to go on.
      if (isHalf()) expect(outcomes, `at ${number}`).toMatchObject([{ status: 'unfinished' }]);
    });
  }
  return number;
}

describe('a session of which only a part is in the home', () => {
  it('is unfinished for as long as the database refuses to make it whole, when it was on its way out', async () => {
    const { home, driver, isHalf, items, dump, cutShort } = await makeHome();
    const whole = dump();
    await cutShort((dying) => dying.discard(RUN, items));
    expect(await goOnRefused(isHalf, () => driver.discard(RUN, items))).toBeGreaterThan(2);
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(await driver.restore(RUN, items)).toEqual(doneAll(items));
    expect(dump()).toEqual(whole);
    expect(hermesProblems(home)).toEqual([]);
  });

  it('is unfinished and has its files for as long as the database refuses the rest, when it was on its way back', async () => {
    const { home, driver, isHalf, items, dump, cutShort } = await makeHome();
    const whole = dump();
    await driver.discard(RUN, items);
    await cutShort((dying) => dying.restore(RUN, items));
    const refused = await goOnRefused(isHalf, async () => {
      const outcomes = await driver.restore(RUN, items);
      expect(readdirSync(join(home, 'sessions')).join()).toContain('request_dump_long');
      return outcomes;
    });
    expect(refused).toBeGreaterThan(2);
    expect(await driver.restore(RUN, items)).toEqual(doneAll(items));
    expect(dump()).toEqual(whole);
    expect(hermesProblems(home)).toEqual([]);
  });

  it('is unfinished for as long as others have its numbers, and is whole once they have not', async () => {
    const { home, driver, items, dump, cutShort } = await makeHome();
    const whole = dump();
    await driver.discard(RUN, items);
    await cutShort((dying) => dying.restore(RUN, items));
    const db = new BetterSqlite3(join(home, 'state.db'));
    onTestFinished(() => void db.close());
    const away = takeNumber(db);
    for (let attempt = 1; attempt < 3; attempt += 1)
      expect(await driver.restore(RUN, items)).toMatchObject([{ status: 'unfinished' }]);
    away();
    expect(await driver.restore(RUN, items)).toEqual(doneAll(items));
    expect(dump()).toEqual(whole);
    expect(hermesProblems(home)).toEqual([]);
  });

  it('is made whole before it goes again, when it was on its way back because a file of it could not go', async () => {
    const { home, driver, isHalf, isGone, items, dump, cutShort } = await makeHome();
    const whole = dump();
    let gone = false;
    const isOnItsWayBack = () => {
      gone ||= isGone();
      return gone && isHalf();
    };
    await refuseMoves('request_dump', 'EPERM', () => cutShort((dying) => dying.discard(RUN, items), isOnItsWayBack));
    expect(isHalf()).toBe(true);
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(await driver.restore(RUN, items)).toEqual(doneAll(items));
    expect(dump()).toEqual(whole);
    expect(hermesProblems(home)).toEqual([]);
  });

  it('leaves the files to a session that has its id by now', async () => {
    const { home, driver, isGone, items, cutShort } = await makeHome();
    await cutShort((dying) => dying.discard(RUN, items), isGone);
    const files = () => readdirSync(join(home, 'sessions')).filter((name) => name.includes('request_dump_long'));
    expect(files()).toHaveLength(1);
    const db = new BetterSqlite3(join(home, 'state.db'));
    onTestFinished(() => void db.close());
    db.prepare(`INSERT INTO sessions (id, source, started_at) VALUES ('long', 'cli', ?)`).run(HERMES_NOW / 1000);
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(files()).toHaveLength(1);
  });

  it('stays in the archive for as long as others have its numbers', async () => {
    const { home } = await makeHome();
    await using copy = await copyArchivingHermes({ path: home, removable: ['long'], held: [], words: ['word'] });
    const whole = await copy.dump();
    const items = await itemsFor(copy, ['long'], 'archive');
    expect(await copy.driver.discard(RUN, items)).toEqual(doneAll(items));
    const db = new BetterSqlite3(join(copy.home, 'state.db'));
    onTestFinished(() => void db.close());
    const there = db.prepare<[], number>(`SELECT count(*) FROM messages WHERE session_id = 'long'`).pluck();
    for (let change = 1; there.get() === 0; change += 1)
      await copy.dieAt(change, (driver) => driver.restore(RUN, items));
    expect(there.get()).toBeLessThan(MESSAGES);
    const away = takeNumber(db);
    expect(await copy.driver.restore(RUN, items)).toMatchObject([{ status: 'unfinished' }]);
    expect((await copy.driver.scan()).archives.map(({ id }) => id)).toEqual(['long']);
    away();
    expect(await copy.driver.restore(RUN, items)).toEqual(doneAll(items));
    expect(await copy.dump()).toEqual(whole);
    expect((await copy.driver.scan()).archives).toEqual([]);
  });
});

/** Gives the number of the last message of the long session to another one, and takes it away again. */
function takeNumber(db: Database): () => void {
  const add = `INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (?, 'other', 'user', 'x', 1)`;
  db.prepare(add).run(MESSAGES);
  return () => void db.prepare('DELETE FROM messages WHERE id = ?').run(MESSAGES);
}
