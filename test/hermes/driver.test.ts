import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { HomeDriver } from '../../src/core/retention/home-driver.ts';
import type { ItemOutcome, RunAction, RunItem } from '../../src/core/retention/run.ts';
import type { LedgerEntry } from '../../src/core/sessions/session.ts';
import { cutEntries } from '../../src/homes/hermes/database/cut-entries.ts';
import { createHermesDriver, type HermesParts } from '../../src/homes/hermes/taking/hermes-driver.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { toItem } from '../../src/homes/tested-home.conformance.ts';
import { readTables } from '../../src/platform/sqlite/guest-database.ts';
import { dumpHermes, hermesProblems } from '../support/hermes-dump.ts';
import {
  addPrompts,
  buildHermesHome,
  HERMES_DAY,
  HERMES_NOW,
  type HermesHomeSpec,
  hermesSql,
  structured,
} from '../support/hermes-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const WORDS = ['hello', 'pictures', 'message'];
const LONG = Array.from({ length: 450 }, (_, at) => `message ${at}`);

function makeHome(spec: HermesHomeSpec, parts: Partial<HermesParts> = {}) {
  const home = buildHermesHome(join(tempDir(), 'hermes'), spec);
  const companion = nativeLayout(join(home, '.coppice'));
  const driver = createHermesDriver({ home, clock: { now: () => HERMES_NOW }, companion, ...parts });
  return { home, driver, dump: () => dumpHermes(home, WORDS) };
}

function ask(home: string, text: string): unknown {
  const db = new BetterSqlite3(join(home, 'state.db'));
  try {
    return db.prepare(text).pluck().all();
  } finally {
    db.close();
  }
}

async function itemsFor(driver: HomeDriver, ids: readonly string[], action: RunAction = 'remove'): Promise<RunItem[]> {
  const { sessions, strays } = await driver.scan();
  return ids.map((id, index) => {
    const found = [...sessions, ...strays].find((item) => item.id === id);
    if (found === undefined) throw new Error(`no ${id}`);
    return toItem(found, index + 1, action);
  });
}

const details = (outcomes: readonly ItemOutcome[]) =>
  outcomes.map((outcome) => (outcome.status === 'done' ? 'done' : outcome.detail));

describe('taking sessions out of a Hermes home', () => {
  it('leaves a file that no session owns when it was written to since the plan, and takes it when that knows', async () => {
    const name = 'sessions/request_dump_gone_20260101_000000_000000.json';
    const { home, driver } = makeHome({ sessions: [{ id: 's', messages: ['hello'] }], files: { [name]: '{}' } });
    const items = await itemsFor(driver, [name]);
    writeFileSync(join(home, name), '{"more":1}');
    const [stayed] = details(await driver.discard('run', items));
    expect(stayed).toBe('It has changed since the plan was made.');
    expect(existsSync(join(home, name))).toBe(true);
    expect(details(await driver.discard('run', await itemsFor(driver, [name])))).toEqual(['done']);
    expect(existsSync(join(home, name))).toBe(false);
  });

  it('purges nothing behind a link in place of its trash, and all of it once that is put right', async () => {
    const { home, driver } = makeHome({ sessions: [{ id: 's', messages: ['hello'] }] });
    const items = await itemsFor(driver, ['s']);
    expect(details(await driver.discard('run', items))).toEqual(['done']);
    const trash = join(home, '.coppice', 'trash', 'run');
    const outside = join(home, '..', 'outside');
    mkdirSync(join(outside, '1'), { recursive: true });
    for (const name of ['log.jsonl', 'rows.jsonl']) writeFileSync(join(outside, '1', name), 'not yours\n');
    renameSync(trash, `${trash}-moved`);
    symlinkSync(outside, trash);
    expect(details(await driver.purge('run', items))).toEqual([expect.stringContaining('is a link')]);
    expect(readdirSync(join(outside, '1'))).toEqual(['log.jsonl', 'rows.jsonl']);
    rmSync(trash);
    renameSync(`${trash}-moved`, trash);
    expect(details(await driver.purge('run', items))).toEqual(['done']);
    expect(readdirSync(join(home, '.coppice', 'trash'))).toEqual([]);
  });

  for (const schema of [25, 30, 'legacy'] as const) {
    it(`keeps the search index whole where an older SQLite made it (schema ${schema})`, async () => {
      const { home, driver, dump } = makeHome({
        schema,
        sessions: [
          { id: 's', messages: ['hello', structured({ text: 'pictures' }), 'bye'] },
          { id: 'other', messages: ['hello'] },
        ],
      });
      const db = new BetterSqlite3(join(home, 'state.db'));
      cutEntries({ db, tables: readTables(db) }, [2n]);
      db.close();
      const before = dump();
      expect(ask(home, `SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH 'pictures'`)).toEqual(
        [],
      );
      const items = await itemsFor(driver, ['s']);
      expect(details(await driver.discard('run', items))).toEqual(['done']);
      expect(hermesProblems(home)).toEqual([]);
      expect(details(await driver.restore('run', items))).toEqual(['done']);
      expect(dump()).toEqual(before);
    });
  }

  it('makes a long session whole again when Hermes resumes it in the middle', async () => {
    let resumed = false;
    const { home, driver } = makeHome(
      { sessions: [{ id: 's', messages: LONG }] },
      {
        onHeld() {
          const [count] = ask(home, 'SELECT count(*) FROM messages') as number[];
          if (!resumed && count === 400) {
            resumed = true;
            hermesSql(
              home,
              `UPDATE sessions SET ended_at = NULL; INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', 'hello again', 2e9)`,
            );
          }
        },
      },
    );
    const items = await itemsFor(driver, ['s']);
    expect(details(await driver.discard('run', items))).toEqual(['It is open in Hermes.']);
    expect(ask(home, 'SELECT content FROM messages ORDER BY id')).toEqual([...LONG, 'hello again']);
    expect(hermesProblems(home)).toEqual([]);
    expect(readdirSync(join(home, '.coppice', 'trash'))).toEqual([]);
  });

  it('takes a prompt only with the last session that has it, and gives it back with either', async () => {
    const { home, driver, dump } = makeHome({ sessions: [{ id: 'a' }, { id: 'b' }] });
    addPrompts(home, { 'You are Hermes': ['a', 'b'] });
    const before = dump();
    const [a, b] = (await itemsFor(driver, ['a', 'b'])).map((item) => [item]);
    if (a === undefined || b === undefined) throw new Error('two items');
    await driver.discard('run', a);
    expect(ask(home, 'SELECT prompt FROM system_prompts')).toEqual(['You are Hermes']);
    await driver.discard('run', b);
    expect(ask(home, 'SELECT prompt FROM system_prompts')).toEqual([]);
    await driver.restore('run', a);
    expect(ask(home, 'SELECT prompt FROM system_prompts')).toEqual(['You are Hermes']);
    await driver.purge('run', a);
    await driver.restore('run', b);
    expect(dump()).toEqual(before);
  });

  it('finds parents and children again, whichever goes and whichever comes back first', async () => {
    const spec: HermesHomeSpec = {
      sessions: [{ id: 'up' }, { id: 'down', parent: 'up', modelConfig: { _branched_from: 'up' } }],
    };
    for (const going of [
      ['up', 'down'],
      ['down', 'up'],
    ]) {
      for (const coming of [
        ['up', 'down'],
        ['down', 'up'],
      ]) {
        const { driver, dump } = makeHome(spec);
        const before = dump();
        const taken = new Map<string, RunItem[]>();
        for (const id of going) {
          const items = await itemsFor(driver, [id]);
          taken.set(id, items);
          expect(details(await driver.discard(id, items))).toEqual(['done']);
        }
        for (const id of coming) expect(details(await driver.restore(id, taken.get(id) ?? []))).toEqual(['done']);
        expect(dump()).toEqual(before);
      }
    }
  });

  it('writes what a session was into the ledger, and takes it out when the session is back', async () => {
    const written: LedgerEntry[] = [];
    const erased: string[] = [];
    const ledger: NonNullable<HermesParts['ledger']> = {
      write: async (_, entries) => void written.push(...entries),
      erase: async (_, ids) => void erased.push(...ids),
      forgetNames: async () => undefined,
    };
    const { home, driver } = makeHome(
      { sessions: [{ id: 's', messages: ['hello', 'hi'], title: 'T', cwd: '/w' }] },
      { ledger },
    );
    hermesSql(
      home,
      `INSERT INTO session_model_usage (session_id, model, task, input_tokens, output_tokens, estimated_cost_usd)
      VALUES ('s', 'm', '', 10, 5, 0.25), ('s', 'm', 'vision', 1, 1, 0.5)`,
    );
    const items = await itemsFor(driver, ['s']);
    await driver.discard('run', items);
    expect(written).toMatchObject([
      { id: 's', source: 'cli', title: 'T', workdir: '/w', messageCount: 2, removedAt: HERMES_NOW },
    ]);
    expect(written[0]?.usageByModel).toMatchObject([{ model: 'm', inputTokens: 11, outputTokens: 6, costUsd: 0.75 }]);
    await driver.restore('run', items);
    expect(erased).toEqual(['s']);
  });

  it('leaves a session whose file has another name elsewhere, and says so', async () => {
    const { home, driver, dump } = makeHome({ sessions: [{ id: 's', files: ['transcript'] }] });
    linkSync(join(home, 'sessions', 's.jsonl'), join(home, 'mine.jsonl'));
    const before = dump();
    expect(details(await driver.discard('run', await itemsFor(driver, ['s'])))[0]).toMatch(/has other names/);
    expect(dump()).toEqual(before);
  });
});

describe('a Hermes home that may not be changed now', () => {
  it('is left alone when its schema became newer than Coppice knows', async () => {
    const { home, driver, dump } = makeHome({ sessions: [{ id: 's', messages: ['hello'] }] });
    const items = await itemsFor(driver, ['s']);
    hermesSql(home, 'UPDATE schema_version SET version = 31');
    const before = dump();
    expect(details(await driver.discard('run', items))[0]).toMatch(/schema 31/);
    expect(dump()).toEqual(before);
  });

  it('waits for the maintenance of Hermes itself', async () => {
    const { home, driver } = makeHome({ sessions: [{ id: 's', messages: ['hello'] }] });
    const lock = join(home, 'state.db.auto-maintenance.lock');
    const holder = spawn('flock', [lock, 'sh', '-c', 'echo held; sleep 0.5'], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(holder.stdout, 'data');
    const left = new Promise((resolve) => holder.once('exit', () => resolve(ask(home, 'SELECT id FROM sessions'))));
    expect(details(await driver.discard('run', await itemsFor(driver, ['s'])))).toEqual(['done']);
    expect(await left).toEqual(['s']);
  });
});

describe('bringing sessions back', () => {
  const spec: HermesHomeSpec = { sessions: [{ id: 's', messages: ['hello'], title: 'T', files: ['transcript'] }] };

  for (const [what, take, sentence] of [
    [
      'its id',
      `INSERT INTO sessions (id, source, started_at) VALUES ('s', 'cli', 1)`,
      'Another session has its id by now.',
    ],
    [
      'its title',
      `INSERT INTO sessions (id, source, started_at, title) VALUES ('x', 'cli', 1, 'T')`,
      'Another session has its title by now. Rename that one first.',
    ],
    [
      'the number of a message',
      `INSERT INTO sessions (id, source, started_at) VALUES ('x', 'cli', 1); INSERT INTO messages (id, session_id, role, timestamp) VALUES (1, 'x', 'user', 1)`,
      'Other messages have the numbers of its messages by now.',
    ],
  ] as const) {
    it(`does not happen over something that has ${what} by now`, async () => {
      const { home, driver, dump } = makeHome(spec);
      const items = await itemsFor(driver, ['s']);
      await driver.discard('run', items);
      hermesSql(home, take);
      const before = dump();
      expect(details(await driver.restore('run', items))).toEqual([sentence]);
      expect(dump()).toEqual(before);
      hermesSql(home, `DELETE FROM messages; DELETE FROM sessions`);
      expect(details(await driver.restore('run', items))).toEqual(['done']);
    });
  }

  it('does not happen over a file that has appeared since', async () => {
    const { home, driver, dump } = makeHome(spec);
    const items = await itemsFor(driver, ['s']);
    await driver.discard('run', items);
    writeFileSync(join(home, 'sessions', 's.jsonl'), 'new');
    const before = dump();
    expect(details(await driver.restore('run', items))).toEqual(['Something else stands where its files were.']);
    expect(dump()).toEqual(before);
  });
});

describe('giving space back', () => {
  const texts = Array.from({ length: 300 }, (_, at) => `${at} ${'hello '.repeat(300)}`);

  async function pruned() {
    const made = makeHome({
      sessions: [
        { id: 's', messages: texts },
        { id: 't', messages: ['hello'] },
      ],
    });
    await made.driver.discard('run', await itemsFor(made.driver, ['s']));
    return made;
  }

  it('happens by the rules of Hermes, and is noted where Hermes looks', async ({ skip }) => {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) skip('other processes may not be looked at here');
    const { home, driver } = await pruned();
    expect(await driver.giveBack()).toBeGreaterThan(500_000);
    expect(ask(home, `SELECT value FROM state_meta WHERE key = 'last_vacuum'`)).toEqual([String(HERMES_NOW / 1000)]);
    expect(hermesProblems(home)).toEqual([]);
  });

  it('does not happen while another process has the database open, or soon after the last time', async () => {
    const { home, driver } = await pruned();
    const pages = ask(home, 'PRAGMA page_count');
    const holder = spawn('sh', ['-c', 'exec 3<"$0"; echo open; exec cat', join(home, 'state.db')], { stdio: 'pipe' });
    await once(holder.stdout, 'data');
    expect(await driver.giveBack()).toBe(0);
    holder.stdin.end();
    await once(holder, 'exit');
    hermesSql(home, `INSERT INTO state_meta VALUES ('last_vacuum', '${(HERMES_NOW - 29 * HERMES_DAY) / 1000}')`);
    expect(await driver.giveBack()).toBe(0);
    expect(ask(home, 'PRAGMA page_count')).toEqual(pages);
  });

  it('takes no lock of Hermes where the rules forbid it anyway', async () => {
    const { home, driver } = makeHome({ sessions: [{ id: 's', messages: ['hello'] }] });
    const before = readdirSync(home);
    expect(await driver.giveBack()).toBe(0);
    expect(readdirSync(home)).toEqual(before);
  });
});
