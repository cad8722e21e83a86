import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import type { NewMessage } from '../../src/core/sessions/message.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Unattended maintenance is off in all of these, as it is by default. */
describe('trash whose time to undo is over', () => {
  let path: string;
  let clock: ReturnType<typeof manualClock>;

  beforeEach(async () => {
    path = join(tempDir(), 'home');
    clock = manualClock(NOW);
    await using home = await open();
    for (const id of ['a', 'b', 'c']) await write(home, id);
    clock.advance(2 * DAY_MS);
    await home.apply(await home.plan({ kind: 'delete', ids: ['a', 'b'] }));
    expect(left()).toEqual({ rows: 3, runs: 1 });
  });

  const open = () => openHome({ path, clock, env: {} });

  async function write(home: Home, id: string): Promise<void> {
    const session = await home.sessions.create({ id, source: 'cli' });
    await session.append({ role: 'user', content: `something about ${id}` });
    await session.end('done');
  }

  function aTranscript(): string {
    const file = join(tempDir(), 'old.jsonl');
    writeFileSync(file, `${JSON.stringify({ role: 'user', content: 'from elsewhere' })}\n`);
    return file;
  }

  /** As the disk has it, without a line of ours. */
  function left(): { rows: number; runs: number } {
    using db = readDatabase();
    const trash = join(path, 'trash');
    return { rows: db.count('sessions'), runs: existsSync(trash) ? readdirSync(trash).length : 0 };
  }

  function readDatabase() {
    const raw = new BetterSqlite3(join(path, 'state.db'), { readonly: true });
    const count = (table: string) => Number(raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
    return { count, [Symbol.dispose]: () => raw.close() };
  }

  it('stays until then, whoever writes', async () => {
    clock.advance(7 * DAY_MS - 1);
    {
      await using home = await open();
      await write(home, 'd');
    }
    expect(left()).toEqual({ rows: 4, runs: 1 });
  });

  it.each<[string, (home: Home) => Promise<unknown>]>([
    ['starts a session', (home) => home.sessions.create({ id: 'd', source: 'cli' })],
    ['appends a message', async (home) => (await home.sessions.open('c')).append({ role: 'user', content: 'again' })],
    ['removes something', async (home) => home.apply(await home.plan({ kind: 'delete', ids: ['c'] }))],
    ['finishes what was cut short', async (home) => (await home.retention()).settle()],
    ['calls the hook for host programs', (home) => home.maintainInBackground()],
    ['makes a pass', async (home) => (await home.retention()).maintain({ now: true })],
    ['starts to answer a key', (home) => home.gateway.resolve({ key: 'telegram:1', source: 'telegram' })],
    ['starts a run', (home) => home.gateway.run({ command: 'true', args: [], cwd: path })],
    ['starts to bring sessions in', (home) => collect(home.sessions.import({ paths: [aTranscript()] }))],
  ])('goes as soon as somebody %s', async (_, act) => {
    clock.advance(40 * DAY_MS);
    {
      await using home = await open();
      if (_.startsWith('appends')) await (await home.sessions.open('c')).resume();
      await act(home);
    }
    const runs = _ === 'removes something' ? 1 : 0;
    expect(left()).toEqual({ rows: _.startsWith('starts') ? 2 : 1, runs });
  });

  it.each<[string, (home: Home) => Promise<{ append: (message: NewMessage) => Promise<unknown> }>]>([
    ['a process that writes for long', (home) => home.sessions.create({ id: 'long', source: 'cli' })],
    ['a gateway that answers one key', (home) => home.gateway.resolve({ key: 'telegram:1', source: 'telegram' })],
  ])('goes in %s, within an hour', async (_, start) => {
    await using home = await open();
    const session = await start(home);
    clock.advance(7 * DAY_MS + HOUR_MS);
    await session.append({ role: 'user', content: 'still here' });
    await expect.poll(left).toEqual({ rows: 2, runs: 0 });
  });

  it('is told of by the hook for host programs, and can be undone no longer', async () => {
    clock.advance(40 * DAY_MS);
    await using home = await open();
    const [run] = await collect((await home.retention()).runs());
    expect(await home.maintainInBackground()).toMatchObject({ status: 'off', emptied: { items: 2, skipped: 0 } });
    expect(await home.maintainInBackground()).not.toHaveProperty('emptied');
    expect(await home.undo(run?.id ?? '')).toMatchObject({ done: 0 });
  });

  it('stays while the clock is in doubt', async () => {
    clock.advance(500 * DAY_MS);
    {
      await using home = await open();
      await write(home, 'd');
      await home.maintainInBackground();
    }
    expect(left()).toEqual({ rows: 4, runs: 1 });
  });

  it('does not grow with what a job delivers again and again', async () => {
    await using home = await open();
    for (let run = 0; run < 160; run += 1) {
      clock.advance(6 * HOUR_MS);
      await write(home, `job-${run}`);
      await home.apply(await home.plan({ kind: 'delete', ids: [`job-${run}`] }));
    }
    expect(left().runs).toBeLessThanOrEqual(4 * 7 + 1);
    expect(left().rows).toBeLessThanOrEqual(4 * 7 + 2);
  });
});
