import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/time.ts';
import { NOW } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { type FreshHome, freshEngineHome } from '../support/fresh-engine-home.ts';

const ROOT = resolve(import.meta.dirname, '../..');

describe('what others learnt the hard way', () => {
  let { clock, at } = {} as FreshHome;
  beforeEach(async () => {
    ({ clock, at } = await freshEngineHome());
  });

  async function aSession(id: string, facts: { source?: string; workdir?: string } = {}): Promise<void> {
    const session = await at.home.sessions.create({ id, source: 'cli', ...facts });
    await session.appendAll(Array.from({ length: 6 }, (_, index) => ({ role: 'user', content: `${id} ${index}` })));
    await session.end('done');
  }

  const going = async () =>
    (await at.retention.plan()).decisions.filter(({ action }) => action !== 'keep').map(({ item }) => item.id);

  it('is built on an SQLite without the bug that loses a log when it starts over', () => {
    const raw = new BetterSqlite3(':memory:');
    const [major = 0, minor = 0, patch = 0] = String(raw.prepare('SELECT sqlite_version()').pluck().get())
      .split('.')
      .map(Number);
    raw.close();
    expect(major * 1_000_000 + minor * 1000 + patch).toBeGreaterThanOrEqual(3_051_003);
  });

  it('never rewrites its whole database to give space back', () => {
    const store = join(ROOT, 'src', 'store');
    const sources = readdirSync(store, { recursive: true, encoding: 'utf8' });
    const rewriting = sources
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .filter((name) => /\bVACUUM\b/.test(readFileSync(join(store, name), 'utf8')));
    expect(rewriting).toEqual([]);
  });

  it.skipIf(!existsSync('/proc/locks'))('keeps its locks on the database through everything that it does', async () => {
    await aSession('s');
    clock.advance(2 * DAY_MS);
    expect(locksOn(at.parts.layout.database)).toBeGreaterThan(0);
    const found = await collect(at.home.check());
    await collect(at.home.repair(found.flatMap(({ problems }) => problems)));
    await at.home.status();
    const { run } = await at.retention.apply(await at.retention.plan({ kind: 'delete', ids: ['s'] }));
    await at.retention.undo(run.id);
    expect(locksOn(at.parts.layout.database)).toBeGreaterThan(0);
    // Why no file of a database is ever opened by other means: closing it lets go of every lock.
    readFileSync(at.parts.layout.database);
    expect(locksOn(at.parts.layout.database)).toBe(0);
  });

  it('needs no one to clear a lock away whose holder was killed', async () => {
    await aSession('s');
    await at.retention.settle();
    const hold = `const db = new (require('better-sqlite3'))(process.argv[1]); db.exec('BEGIN EXCLUSIVE'); console.log('held'); setInterval(() => {}, 1000)`;
    const holder = spawn(process.execPath, ['-e', hold, at.parts.layout.lock], { cwd: ROOT });
    await once(holder.stdout, 'data');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(existsSync(at.parts.layout.lock)).toBe(true);
    clock.advance(2 * DAY_MS);
    expect(await at.retention.apply(await at.retention.plan({ kind: 'delete', ids: ['s'] }))).toMatchObject({
      done: 1,
    });
  });

  it('applies its rules to every source and every project', async () => {
    for (const source of ['cli', 'telegram', 'api'])
      for (const workdir of ['/one', '/two'])
        for (const age of ['old', 'new']) await aSession(`${source}${workdir}/${age}`, { source, workdir });
    clock.advance(100 * DAY_MS);
    expect((await going()).length).toBe(6);
  });

  it('counts age from what was recorded, whatever the times of the files say', async () => {
    await aSession('used long ago');
    clock.advance(60 * DAY_MS);
    await aSession('used lately');
    await aSession('newest');
    clock.advance(40 * DAY_MS);
    const touch = (id: string, time: number) => utimesSync(at.parts.layout.transcript(id), time / 1000, time / 1000);
    touch('used long ago', clock.now());
    touch('used lately', NOW - 1000 * DAY_MS);
    expect(await going()).toEqual(['used long ago']);
  });

  it('means the same by what can go in a status, a plan and an explanation', async () => {
    for (const id of ['one', 'two', 'three']) await aSession(id);
    clock.advance(100 * DAY_MS);
    const ids = await going();
    const { classes } = await at.home.status();
    expect(ids).toHaveLength(2);
    expect(classes.find(({ name }) => name === 'sessions')?.reclaimable.items).toBe(ids.length);
    for (const id of ids)
      expect((await at.retention.explain({ kind: 'session', id }))?.decision).toMatchObject({ action: 'remove' });
  });
});

/** How many locks this process holds on a file, by what the kernel says. */
function locksOn(file: string): number {
  const { ino } = statSync(file);
  const lines = readFileSync('/proc/locks', 'utf8').split('\n');
  return lines.filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `)).length;
}
