import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { savePlan } from '../../src/app/retention/saved-plans.ts';
import type { PassCounts } from '../../src/core/retention/maintenance.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import { type MachineClock, machineClock, NOW } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

const TEN_YEARS_MS = 3650 * DAY_MS;

const JUMPS = [
  ['ten years ahead when the machine starts', (clock: MachineClock) => clock.off(TEN_YEARS_MS)],
  ['set to a hundred days ahead while the machine is on', (clock: MachineClock) => clock.setBy(100 * DAY_MS)],
] as const;

describe('a clock that is far ahead', () => {
  let path: string;
  let clock: MachineClock;
  const open = () => openHome({ path, clock, env: {} });

  beforeEach(async () => {
    path = join(tempDir(), 'home');
    clock = machineClock();
    await using home = await open();
    const left = await home.sessions.create({ id: 'left', source: 'cli' });
    await left.append({ role: 'user', content: 'seconds ago' });
    await left.dump({ url: 'https://example.org' });
    await left.release();
    for (const id of ['gone', 'back']) await (await home.sessions.create({ id, source: 'cli' })).end('done');
    clock.advance(1000);
    await home.apply(await home.plan({ kind: 'delete', ids: ['gone'] }));
    // A run with nothing left to give back, which is forgotten after a while.
    await home.undo((await home.apply(await home.plan({ kind: 'delete', ids: ['back'] }))).run.id);
    savePlan(home.plansHome, await home.plan({ kind: 'delete', ids: ['left'] }), NOW);
  });

  const maintain = async (home: Home) => (await home.retention()).maintain({ now: true });
  const trashed = async (home: Home) =>
    (await (await home.retention()).scan()).trash.reduce((sum, { itemCount }) => sum + itemCount, 0);

  it.each(JUMPS)('closes, empties and forgets nothing: %s', async (_how, jump) => {
    jump(clock);
    await using home = await open();
    for (let pass = 0; pass < 3; pass += 1)
      expect(await maintain(home)).toMatchObject({
        closed: 0,
        removed: 0,
        notes: [expect.stringContaining('Set it.')],
      });
    expect(await home.closeAbandoned()).toBe(0);
    expect(await home.maintainInBackground()).toBeDefined();
    const retention = await home.retention();
    expect(await retention.emptyExpired()).toMatchObject({ items: 0 });
    const runs = await collect(retention.runs());
    expect(runs).toHaveLength(2);
    const run = runs.at(-1);
    await expect(retention.emptyTrash(run?.id ?? '', { expired: true })).rejects.toMatchObject({ code: 'refused' });
    expect((await home.sessions.get('left'))?.endedAt).toBeUndefined();
    expect(await trashed(home)).toBe(1);
    expect(readdirSync(join(path, 'plans'))).toHaveLength(1);
    await (await home.sessions.open('left')).dump({ url: 'https://example.org/later' });
    expect(
      (await (await home.sessions.open('left')).files()).filter((file) => file.path.endsWith('.json')),
    ).toHaveLength(2);
  });

  it('resets no conversation, runs no job and forgets no spending, and all of it goes on once the clock is right', async () => {
    await writeFile(
      join(path, 'config.yaml'),
      "session_reset:\n  mode: both\ncron:\n  jobs:\n    now: { schedule: '* * * * *', command: ['true'] }\n",
      { mode: 0o600 },
    );
    let first: string;
    {
      await using home = await open();
      const session = await home.gateway.resolve({ key: 'chat:1', source: 'chat' });
      first = session.id;
      await session.append({ role: 'user', content: 'seconds ago' });
      await (await home.scheduler()).tick();
    }
    clock.off(TEN_YEARS_MS);
    {
      await using home = await open();
      expect((await home.gateway.resolve({ key: 'chat:1', source: 'chat' })).id).toBe(first);
      expect(await home.gateway.resetIdle()).toEqual([]);
      expect((await home.gateway.spend('session')).length).toBeGreaterThan(0);
      const scheduler = await home.scheduler();
      clock.advance(2 * MINUTE_MS);
      expect((await scheduler.tick()).started).toEqual([]);
    }
    clock.setBy(DAY_MS - TEN_YEARS_MS);
    await using home = await open();
    expect((await home.gateway.resolve({ key: 'chat:1', source: 'chat' })).id).not.toBe(first);
    const scheduler = await home.scheduler();
    clock.advance(2 * MINUTE_MS);
    const { started, ended } = await scheduler.tick();
    await ended;
    expect(started).toHaveLength(1);
  });

  it.each(JUMPS)('is told by whoever writes first, also before any pass: %s', async (_how, jump) => {
    jump(clock);
    {
      await using home = await open();
      await home.sessions.create({ id: 'other', source: 'cli' });
    }
    await using home = await open();
    expect(await maintain(home)).toMatchObject({ closed: 0, removed: 0 });
    expect(await trashed(home)).toBe(1);
  });

  it('closes nothing in a home in which no pass was made yet', async () => {
    path = join(tempDir(), 'home');
    {
      await using home = await open();
      const left = await home.sessions.create({ id: 'left', source: 'cli' });
      await left.append({ role: 'user', content: 'seconds ago' });
    }
    // As older versions left it.
    const db = new BetterSqlite3(join(path, 'state.db'));
    db.exec(`DELETE FROM meta WHERE key = 'latest-time-seen'`);
    db.close();
    clock.off(TEN_YEARS_MS);
    await using home = await open();
    expect(await maintain(home)).toMatchObject({ closed: 0 });
  });

  it.each(JUMPS)('is believed once it has gone on for a day, because it may be right: %s', async (_how, jump) => {
    jump(clock);
    await using home = await open();
    await maintain(home);
    clock.advance(DAY_MS + HOUR_MS);
    expect(await maintain(home)).toMatchObject({ closed: 1 });
    const { trash } = await (await home.retention()).scan();
    expect(trash.filter(({ removedAt }) => removedAt < NOW + DAY_MS)).toEqual([]);
  });

  it('is no doubt after a machine was off for three months: what had its time goes in the first pass', async () => {
    clock.off(90 * DAY_MS);
    await using home = await open();
    const { notes, closed } = (await maintain(home)) as PassCounts;
    expect({ notes, closed }).toEqual({ notes: undefined, closed: 1 });
    expect(await trashed(home)).toBe(0);
  });
});
