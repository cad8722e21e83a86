import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { openHome } from '../../src/index.ts';
import { captureIo, NOW } from '../capture-io.ts';
import { sandbox } from '../e2e/run-coppice.ts';
import { TORTURE } from '../support/campaign.ts';
import { manualClock } from '../support/clock.ts';

const root = sandbox();
const home = join(root, 'home');
const whole = join(root, 'whole.db');
const REMOVALS = [
  ['sessions', 'prune', '--older-than', '30d', '--set', 'sessions.keep_last=1', '--yes'],
  ['sessions', 'delete', 'session-1', '--yes'],
  ['sessions', 'archive', '--older-than', '30d', '--set', 'sessions.keep_last=1', '--yes'],
  ['undo', '--yes'],
  ['trash', 'empty', '--all', '--yes'],
  ['maintain'],
];

beforeAll(async () => {
  const clock = manualClock(NOW - 100 * DAY_MS);
  const settings = [
    { key: 'disk.ballast_mb', value: 'never' },
    { key: 'sessions.transcripts', value: 'off' },
  ];
  await using made = await openHome({ path: home, clock, env: {}, settings });
  for (let number = 0; number < 30; number += 1) {
    const session = await made.sessions.create({ id: `session-${number}`, source: 'cli', title: `about ${number}` });
    const words = (at: number) => `message ${at} of ${number} ${'says a word or two '.repeat(20)}`;
    await session.appendAll(Array.from({ length: 40 }, (_, at) => ({ role: 'user', content: words(at) })));
    await session.recordUsage({ model: 'large', inputTokens: 5 });
    await session.end('done');
  }
  clock.set(NOW - DAY_MS);
  await made.apply(await made.plan({ kind: 'delete', ids: ['session-29'] }));
  await made.close();
  copyFileSync(join(home, 'state.db'), whole);
}, 120_000);

/** Every table and index that has pages, with one of them; the root page, and one below it where there is any. */
function places(): readonly { readonly name: string; readonly page: number }[] {
  const db = new BetterSqlite3(whole, { readonly: true });
  try {
    const sql = `SELECT name, min(pageno) AS first, max(pageno) AS last FROM dbstat WHERE name NOT LIKE 'sqlite_%' GROUP BY name`;
    const found = db.prepare<[], { name: string; first: number; last: number }>(sql).all();
    return found.flatMap(({ name, first, last }) => [...new Set([first, last])].map((page) => ({ name, page })));
  } finally {
    db.close();
  }
}

function damage(page: number): void {
  copyFileSync(whole, join(home, 'state.db'));
  const file = openSync(join(home, 'state.db'), 'r+');
  // What a failing disk gives back: something else in the middle of the page, its beginning included.
  writeSync(file, Buffer.alloc(600, 0x5a), 0, 600, (page - 1) * 4096);
  closeSync(file);
}

async function say(line: readonly string[]) {
  const { io, out, err } = captureIo({ now: NOW });
  const code = await main([...line, '--home', home], io);
  return { code, out: out(), err: err() };
}

/** What is left of the rows, whatever is wrong with the pages of others. */
function rows(): unknown {
  const db = new BetterSqlite3(join(home, 'state.db'), { readonly: true });
  try {
    return db
      .prepare(`SELECT group_concat(id || state) FROM (SELECT id, state FROM sessions NOT INDEXED ORDER BY key)`)
      .get();
  } catch (error) {
    return String(error);
  } finally {
    db.close();
  }
}

describe('a database with a damaged page', () => {
  it('loses nothing to any removal, whatever table the page belongs to, and is read as far as it can be', async () => {
    const all = places();
    expect(all.length).toBeGreaterThan(30);
    for (const [index, { name, page }] of all.entries()) {
      if (!TORTURE && index % 3 !== 0) continue;
      damage(page);
      const before = rows();
      for (const line of TORTURE ? REMOVALS : [REMOVALS[(index / 3) % REMOVALS.length] ?? []]) {
        const { code, err } = await say(line);
        const where = `page ${page} of ${name}, ${line.join(' ')}`;
        expect({ where, code, err }).toMatchObject({ where, code: 12 });
        expect(err, where).toContain('coppice doctor');
        expect({ where, rows: rows() }).toEqual({ where, rows: before });
      }
      expect({ name, page, ...(await say(['doctor'])) }).toMatchObject({ name, page, code: 12 });
      if (name === 'messages' || name.startsWith('message_') || name.startsWith('run'))
        expect({ name, page, ...(await say(['sessions', 'list'])) }).toMatchObject({ name, page, code: 0 });
    }
  });

  it('that is sound goes on as before, and is asked once a minute', async () => {
    copyFileSync(whole, join(home, 'state.db'));
    expect(await say(REMOVALS[0] ?? [])).toMatchObject({ code: 0 });
    expect(await say(['undo', '--yes'])).toMatchObject({ code: 0 });
  });
});
