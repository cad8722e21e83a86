import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createHermesDriver } from '../../src/homes/hermes/taking/hermes-driver.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { doneAll, itemsFor, RUN } from '../../src/homes/tested-home.conformance.ts';
import { dumpHermes, hermesProblems } from '../support/hermes-dump.ts';
import { buildHermesHome, HERMES_NOW } from '../support/hermes-home.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Three times the same messages, so that the triggers of schema 30 reach from each part of it into the others. */
const REPEATED = Array.from({ length: 450 }, (_, at) => `message ${at % 150}`);

for (const busy of [false, true]) {
  it(`gives back the order in which copies of messages were shown${busy ? ', while Hermes writes' : ''}`, async () => {
    const home = buildHermesHome(join(tempDir(), 'hermes'), {
      schema: 30,
      sessions: [
        { id: 'long', messages: REPEATED },
        { id: 'short', messages: ['twice', 'between', 'twice'] },
      ],
    });
    const db = new BetterSqlite3(join(home, 'state.db'));
    expect(db.prepare('SELECT display_order FROM messages WHERE id = 301').pluck().get()).toBe(1);
    // Homes in which not all orders are counted yet, or were counted otherwise.
    db.exec('UPDATE messages SET display_order = NULL WHERE id % 7 = 0');
    db.exec('UPDATE messages SET display_order = id + 1000 WHERE id % 11 = 0');
    db.exec('UPDATE messages SET active = 0, compacted = 1 WHERE id < 40');
    const dump = () => dumpHermes(home, ['message', 'twice']);
    const before = dump();
    const onHeld = () =>
      void (
        busy &&
        db.exec('BEGIN IMMEDIATE; UPDATE sessions SET rewind_count = 1; UPDATE sessions SET rewind_count = 0; COMMIT')
      );
    const companion = nativeLayout(join(home, '.coppice'));
    const driver = createHermesDriver({ home, clock: { now: () => HERMES_NOW }, companion, onHeld });
    const items = await itemsFor({ driver }, ['long', 'short'], 'remove');
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(hermesProblems(home)).toEqual([]);
    expect(await driver.restore(RUN, items)).toEqual(doneAll(items));
    db.close();
    expect(dump()).toEqual(before);
    expect(hermesProblems(home)).toEqual([]);
  });
}
