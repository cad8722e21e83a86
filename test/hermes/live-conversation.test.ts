import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { ItemOutcome } from '../../src/core/retention/run.ts';
import { createHermesDriver } from '../../src/homes/hermes/taking/hermes-driver.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { doneAll, itemsFor, RUN } from '../../src/homes/tested-home.conformance.ts';
import { dumpHermes, hermesProblems } from '../support/hermes-dump.ts';
import {
  buildHermesHome,
  HERMES_NOW,
  type HermesHomeSpec,
  type HermesSessionSpec,
  hermesSafeName,
  hermesSql,
} from '../support/hermes-home.ts';
import { treeState } from '../support/hermes-tree.ts';
import { USES } from '../support/hermes-uses.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Writes one message and dies. */
const KILLED = `
const db = require('better-sqlite3')(process.argv[1]);
db.exec("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', 'word', 1)");
process.kill(process.pid, 'SIGKILL');`;

function makeHome(spec: HermesHomeSpec, onHeld: () => void = () => undefined) {
  const home = buildHermesHome(join(tempDir(), 'hermes'), { schema: 30, ...spec });
  return { home, driver: driverOf(home, onHeld), dump: () => dumpHermes(home, ['word']) };
}

function driverOf(home: string, onHeld?: () => void) {
  const companion = nativeLayout(join(home, '.coppice'));
  return createHermesDriver({ home, clock: { now: () => HERMES_NOW }, companion, ...(onHeld && { onHeld }) });
}

function countMessages(home: string, id: string): number {
  const db = new BetterSqlite3(join(home, 'state.db'));
  try {
    return Number(db.prepare('SELECT count(*) FROM messages WHERE session_id = ?').pluck().get(id));
  } finally {
    db.close();
  }
}

const details = (outcomes: readonly ItemOutcome[]) =>
  outcomes.map((outcome) => ('detail' in outcome ? outcome.detail : outcome.status));

const LONG: HermesSessionSpec = { id: 's', messages: Array.from({ length: 310 }, (_, at) => `word ${at}`) };

describe.each(USES)('a conversation that Hermes takes up by %s', (_, use, sentence) => {
  it('stays, when that was after the plan', async () => {
    const { home, driver, dump } = makeHome({ sessions: [{ id: 's', messages: ['word'], files: ['dump'] }] });
    const items = await itemsFor({ driver }, ['s'], 'remove');
    use(home, 's');
    const before = dump();
    expect(details(await driver.discard(RUN, items))[0]).toContain(sentence);
    expect(dump()).toEqual(before);
    expect(readdirSync(join(home, '.coppice', 'trash'))).toEqual([]);
  });

  it('is whole again, when that was while it went', async () => {
    let used: unknown;
    const made = makeHome({ sessions: [LONG] }, () => {
      if (used !== undefined || countMessages(made.home, 's') === LONG.messages?.length) return;
      use(made.home, 's');
      used = true;
    });
    const { home, driver, dump } = made;
    const before = dump() as { rows: Record<string, unknown> };
    expect(details(await driver.discard(RUN, await itemsFor({ driver }, ['s'], 'remove')))[0]).toContain(sentence);
    expect(used).toBe(true);
    expect((dump() as typeof before).rows['messages']).toEqual(before.rows['messages']);
    expect(hermesProblems(home)).toEqual([]);
  });

  it('stays with all of its parts, when only the first is named', async () => {
    const { home, driver, dump } = makeHome({
      sessions: [
        { id: 'root', end: 'compression', messages: ['word'] },
        { id: 'middle', parent: 'root', end: 'compression', messages: ['word'] },
        { id: 'tip', parent: 'middle', messages: ['word'] },
      ],
    });
    const items = await itemsFor({ driver }, ['tip', 'middle', 'root'], 'remove');
    use(home, 'root');
    const before = dump();
    const outcomes = await driver.discard(RUN, items);
    expect(outcomes.map(({ status }) => status)).toEqual(['skipped', 'skipped', 'skipped']);
    expect(dump()).toEqual(before);
  });
});

describe('a conversation of Hermes', () => {
  const PARTS: readonly HermesSessionSpec[] = [
    { id: 'root', end: 'compression', messages: ['word'] },
    { id: 'tip', parent: 'root', messages: ['word'] },
  ];

  it('keeps its beginning while a later part is still there, whoever asks for the beginning alone', async () => {
    const { driver, dump } = makeHome({ sessions: PARTS });
    const before = dump();
    const outcomes = await driver.discard(RUN, await itemsFor({ driver }, ['root'], 'remove'));
    expect(details(outcomes)).toEqual(['A later part of its conversation is still there.']);
    expect(dump()).toEqual(before);
  });

  it('stays when another part of it was used after the plan', async () => {
    const { home, driver, dump } = makeHome({ sessions: PARTS });
    const items = await itemsFor({ driver }, ['tip'], 'remove');
    hermesSql(home, `UPDATE sessions SET last_activity_at = ${HERMES_NOW / 1000} WHERE id = 'root'`);
    const before = dump();
    expect(details(await driver.discard(RUN, items))).toEqual(['Its conversation went on since the plan was made.']);
    expect(dump()).toEqual(before);
  });

  it('stays when Hermes compressed it after the plan and goes on elsewhere', async () => {
    const { home, driver, dump } = makeHome({ sessions: PARTS });
    const items = await itemsFor({ driver }, ['tip', 'root'], 'remove');
    hermesSql(
      home,
      `UPDATE sessions SET end_reason = 'compression' WHERE id = 'tip';
       INSERT INTO sessions (id, source, parent_session_id, started_at) VALUES ('next', 'cli', 'tip', ${HERMES_NOW / 1000})`,
    );
    const before = dump();
    const outcomes = await driver.discard(RUN, items);
    expect(details(outcomes)).toEqual([
      'Another part of its conversation is in use.',
      'Another part of its conversation is in use.',
    ]);
    expect(dump()).toEqual(before);
  });

  /** The first time that the lock is held is before anything goes, and after it was written down what will. */
  function changedInBetween(change: string) {
    let changed = false;
    const made = makeHome({ sessions: [{ id: 's', messages: ['word'] }] }, () => {
      if (changed) return;
      changed = true;
      hermesSql(made.home, change);
    });
    return made;
  }

  it.each([
    ['comes', `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', 'word', 1)`, 2],
    ['is edited', `UPDATE messages SET content = 'verb' WHERE session_id = 's'`, 1],
  ])('stays when a message %s between the last look and the lock', async (_, change, count) => {
    const { home, driver } = changedInBetween(change);
    const items = await itemsFor({ driver }, ['s'], 'remove');
    expect(details(await driver.discard(RUN, items))).toEqual(['It has changed since the plan was made.']);
    expect(countMessages(home, 's')).toBe(count);
    expect(hermesProblems(home)).toEqual([]);
  });

  it('that begins under the id of one that has gone is not taken for it when the removal is asked for again', async () => {
    const { home, driver, dump } = makeHome({ sessions: [{ id: 's', messages: ['word'] }] });
    const whole = dump();
    const items = await itemsFor({ driver }, ['s'], 'remove');
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    hermesSql(home, `INSERT INTO sessions (id, source, started_at) VALUES ('s', 'cli', 1)`);
    const begun = dump();
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(dump()).toEqual(begun);
    hermesSql(home, `DELETE FROM sessions`);
    expect(await driver.restore(RUN, items)).toEqual(doneAll(items));
    expect(dump()).toEqual(whole);
  });

  it('that begins under the id of one that has just gone keeps the files of that id', async () => {
    let begun = false;
    const made = makeHome({ sessions: [{ id: 's', messages: ['word'], files: ['transcript'] }] }, () => {
      if (begun || countMessages(made.home, 's') > 0) return;
      begun = true;
      hermesSql(made.home, `INSERT INTO sessions (id, source, started_at) VALUES ('s', 'api_server', 1)`);
    });
    const { home, driver } = made;
    const items = await itemsFor({ driver }, ['s'], 'remove');
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(existsSync(join(home, 'sessions', 's.jsonl'))).toBe(true);
  });

  it('is found again by a branch that was made between the last look and the lock', async () => {
    const { home, driver } = changedInBetween(
      `INSERT INTO sessions (id, source, parent_session_id, started_at, model_config) VALUES ('branch', 'cli', 's', 1, '{"_branched_from":"s"}')`,
    );
    const items = await itemsFor({ driver }, ['s'], 'remove');
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(await driver.restore(RUN, items)).toEqual(doneAll(items));
    const { sessions } = await driver.scan();
    expect(sessions.find(({ id }) => id === 'branch')?.parentId).toBe('s');
    expect(hermesProblems(home)).toEqual([]);
  });

  it.each([
    ['a message is added', `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', 'x', 1)`],
    ['a message is edited', `UPDATE messages SET content = 'another word' WHERE session_id = 's'`],
    ['it is put away', `UPDATE sessions SET archived = 1`],
    ['it ends once more', `UPDATE sessions SET ended_at = ended_at + 1`],
    ['it is active', `UPDATE sessions SET last_activity_at = ${HERMES_NOW / 1000}`],
  ])('stays when %s after the plan', async (_, change) => {
    const { home, driver, dump } = makeHome({ sessions: [{ id: 's', messages: ['word'] }] });
    const items = await itemsFor({ driver }, ['s'], 'remove');
    hermesSql(home, change);
    const before = dump();
    expect(details(await driver.discard(RUN, items))).toEqual(['It has changed since the plan was made.']);
    expect(dump()).toEqual(before);
  });

  it('stays when what changed it is only in the log of a Hermes that was killed', async () => {
    const { home, driver } = makeHome({ sessions: [{ id: 's', messages: ['word'] }] });
    const items = await itemsFor({ driver }, ['s'], 'remove');
    spawnSync(process.execPath, ['-e', KILLED, join(home, 'state.db')]);
    expect(existsSync(join(home, 'state.db-wal'))).toBe(true);
    expect(details(await driver.discard(RUN, items))).toEqual(['It has changed since the plan was made.']);
    expect(countMessages(home, 's')).toBe(2);
  });

  it('is not touched when the one that it was handed on by goes, or the one that it was handed on to', async () => {
    const { home, driver } = makeHome({
      sessions: [
        { id: 'boss', messages: ['word'] },
        { id: 'worker', parent: 'boss', modelConfig: { _delegate_from: 'boss' }, messages: ['word'], end: 'open' },
        { id: 'live', messages: ['word'], end: 'open' },
        { id: 'done', parent: 'live', modelConfig: { _delegate_from: 'live' }, messages: ['word'] },
      ],
    });
    const items = await itemsFor({ driver }, ['boss', 'done'], 'remove');
    const before = ['worker', 'live'].map((id) => countMessages(home, id));
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(['worker', 'live'].map((id) => countMessages(home, id))).toEqual(before);
    expect(hermesProblems(home)).toEqual([]);
  });

  it('keeps its files when another has a name that looks the same in names of files', async () => {
    const twin = hermesSafeName('a/b');
    const { home, driver, dump } = makeHome({
      sessions: [
        { id: 'a/b', messages: ['word'], files: ['snapshot', 'dump'] },
        { id: twin, messages: ['word'], files: ['snapshot', 'transcript'] },
      ],
    });
    const items = await itemsFor({ driver }, ['a/b'], 'remove');
    const before = dump();
    const files = () => treeState(join(home, 'sessions'));
    const there = files();
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(files()).toEqual(there);
    expect(await driver.restore(RUN, items)).toEqual(doneAll(items));
    expect(dump()).toEqual(before);
  });
});

describe('a Hermes home', () => {
  it('may be reached by a link, and everything goes and comes back', async () => {
    const { home, dump } = makeHome({ sessions: [{ id: 's', messages: ['word'], files: ['dump'] }] });
    const link = join(tempDir(), 'link');
    symlinkSync(home, link);
    const driver = driverOf(link);
    const items = await itemsFor({ driver }, ['s'], 'remove');
    const before = dump();
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(countMessages(home, 's')).toBe(0);
    expect(await driverOf(home).restore(RUN, items)).toEqual(doneAll(items));
    expect(dump()).toEqual(before);
  });

  it('is only shown when its session files are elsewhere', async () => {
    const { home, driver, dump } = makeHome({ sessions: [{ id: 's', messages: ['word'], files: ['dump'] }] });
    const items = await itemsFor({ driver }, ['s'], 'remove');
    const elsewhere = join(tempDir(), 'sessions');
    cpSync(join(home, 'sessions'), elsewhere, { recursive: true });
    spawnSync('mv', [join(home, 'sessions'), join(home, 'logs')]);
    symlinkSync(elsewhere, join(home, 'sessions'));
    const before = dump();
    expect(details(await driver.discard(RUN, items))[0]).toContain('sessions is a link');
    expect(dump()).toEqual(before);
  });

  it('leaves the homes of its profiles alone, whatever goes', async () => {
    const { home, driver } = makeHome({ sessions: [{ id: 's', messages: ['word'], files: ['dump'] }] });
    const profile = join(home, 'profiles', 'work');
    buildHermesHome(profile, { schema: 30, sessions: [{ id: 's', messages: ['word'], files: ['dump'] }] });
    const before = treeState(profile);
    const items = await itemsFor({ driver }, ['s'], 'remove');
    expect(await driver.discard(RUN, items)).toEqual(doneAll(items));
    expect(await driver.purge(RUN, items)).toEqual(doneAll(items));
    expect(treeState(profile)).toEqual(before);
  });
});
