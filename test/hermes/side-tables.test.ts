import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { ItemOutcome } from '../../src/core/retention/run.ts';
import { createHermesDriver, type HermesParts } from '../../src/homes/hermes/taking/hermes-driver.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { itemsFor } from '../../src/homes/tested-home.conformance.ts';
import { dumpHermes } from '../support/hermes-dump.ts';
import { buildHermesHome, HERMES_NOW, type HermesHomeSpec, hermesSql } from '../support/hermes-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const LONG = Array.from({ length: 450 }, (_, at) => `message ${at}`);

function makeHome(spec: HermesHomeSpec, parts: Partial<HermesParts> = {}) {
  const home = buildHermesHome(join(tempDir(), 'hermes'), spec);
  const companion = nativeLayout(join(home, '.coppice'));
  const driver = createHermesDriver({ home, clock: { now: () => HERMES_NOW }, companion, ...parts });
  return { home, driver, dump: () => dumpHermes(home, ['hello']) };
}

function ask(home: string, text: string): unknown[] {
  const db = new BetterSqlite3(join(home, 'state.db'));
  try {
    return db.prepare(text).pluck().all();
  } finally {
    db.close();
  }
}

const details = (outcomes: readonly ItemOutcome[]) =>
  outcomes.map((outcome) => (outcome.status === 'done' ? 'done' : outcome.detail));

describe('tables beside sessions and messages', () => {
  it('go and come back with their session', async () => {
    const { home, driver, dump } = makeHome({ sessions: [{ id: 's', messages: ['hello'] }, { id: 't' }] });
    hermesSql(
      home,
      `INSERT INTO session_model_usage (session_id, model, input_tokens) VALUES ('s', 'large', 5), ('t', 'large', 1);
       INSERT INTO compression_locks VALUES ('s', 'pid=1', 0, 0)`,
    );
    const before = dump();
    const items = await itemsFor({ driver }, ['s'], 'remove');
    expect(details(await driver.discard('run', items))).toEqual(['done']);
    expect(ask(home, 'SELECT session_id FROM session_model_usage')).toEqual(['t']);
    expect(ask(home, 'SELECT session_id FROM compression_locks')).toEqual([]);
    expect(details(await driver.restore('run', items))).toEqual(['done']);
    expect(dump()).toEqual(before);
  });

  it('lose nothing that Hermes adds while a long session goes', async () => {
    let added = false;
    const { home, driver } = makeHome(
      { sessions: [{ id: 's', messages: LONG }] },
      {
        onHeld() {
          if (added || ask(home, 'SELECT count(*) FROM messages')[0] === LONG.length) return;
          added = true;
          hermesSql(home, `INSERT INTO session_model_usage (session_id, model) VALUES ('s', 'late')`);
        },
      },
    );
    const items = await itemsFor({ driver }, ['s'], 'remove');
    await driver.discard('run', items);
    expect(added).toBe(true);
    await driver.restore('run', items);
    expect(ask(home, 'SELECT model FROM session_model_usage')).toEqual(['late']);
    expect(ask(home, 'SELECT count(*) FROM messages')).toEqual([LONG.length]);
  });

  it('that are not known keep everything where it is, even if the plan was made before', async () => {
    const { home, driver, dump } = makeHome({ sessions: [{ id: 's', messages: ['hello'] }] });
    const items = await itemsFor({ driver }, ['s'], 'remove');
    hermesSql(
      home,
      `CREATE TABLE notes (n INTEGER PRIMARY KEY, m REFERENCES messages (id) ON DELETE CASCADE);
      INSERT INTO notes SELECT id, id FROM messages`,
    );
    const before = dump();
    const sentence = 'Its table notes refers to messages in a way that Coppice does not know.';
    expect(details(await driver.discard('run', items))).toEqual([sentence]);
    expect(dump()).toEqual(before);
  });
});
