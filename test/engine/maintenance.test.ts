import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

const ON = [{ key: 'sessions.auto_prune', value: 'true' }];

describe('unattended maintenance', () => {
  let path: string;
  let clock: ReturnType<typeof manualClock>;

  beforeEach(() => {
    path = join(tempDir(), 'home');
    clock = manualClock(NOW);
  });

  const open = (settings: readonly { key: string; value: string }[] = ON) =>
    openHome({ path, clock, env: {}, settings });

  async function fill(home: Home, count: number, messages = 10): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const session = await home.sessions.create({ source: 'cli' });
      await session.appendAll(Array.from({ length: messages }, () => ({ role: 'user' as const, content: 'word' })));
      await session.end('done');
    }
  }

  const ids = async (home: Home) => (await collect(home.sessions.list())).map(({ id }) => id);

  it('is off unless it is switched on', async () => {
    await using home = await open([]);
    await fill(home, 3);
    clock.advance(400 * DAY_MS);
    expect(await home.maintainInBackground()).toEqual({ status: 'off' });
    expect(await ids(home)).toHaveLength(3);
  });

  it('announces on its first pass and acts on the next', async () => {
    await using home = await open();
    await fill(home, 3);
    clock.advance(100 * DAY_MS);
    expect(await home.maintainInBackground()).toMatchObject({
      status: 'announced',
      reasons: [{ kind: 'first-run', count: 2 }],
      held: 2,
      removed: 0,
    });
    expect(await ids(home)).toHaveLength(3);
    expect(await home.maintainInBackground()).toMatchObject({ status: 'not-due', nextAt: clock.now() + DAY_MS });
    clock.advance(DAY_MS);
    expect(await home.maintainInBackground()).toMatchObject({ status: 'done', removed: 2 });
    expect(await ids(home)).toHaveLength(1);
  });

  it('announces again when the rules became stricter', async () => {
    {
      await using home = await open([...ON, { key: 'sessions.retention_days', value: '3650' }]);
      await fill(home, 3);
      clock.advance(100 * DAY_MS);
      await home.maintainInBackground();
    }
    clock.advance(DAY_MS);
    await using home = await open();
    expect(await home.maintainInBackground()).toMatchObject({
      status: 'announced',
      reasons: [{ kind: 'stricter-policy', count: 2 }],
    });
    clock.advance(DAY_MS);
    expect(await home.maintainInBackground()).toMatchObject({ status: 'done', removed: 2 });
  });

  it('never removes more than the guard allows, however often it runs', async () => {
    await using home = await open([...ON, { key: 'guard.max_items', value: '5' }]);
    await fill(home, 20);
    clock.advance(100 * DAY_MS);
    for (let pass = 0; pass < 3; pass += 1) {
      expect(await home.maintainInBackground()).toMatchObject({ status: 'announced', removed: 0 });
      clock.advance(DAY_MS);
    }
    expect(await ids(home)).toHaveLength(20);
  });

  it('closes what a crash left open, and lets it age from then', async () => {
    {
      await using home = await open();
      const session = await home.sessions.create({ id: 'left', source: 'cli' });
      await session.append({ role: 'user', content: 'hello' });
      await session.release();
    }
    clock.advance(25 * HOUR_MS);
    await using home = await open();
    expect(await home.maintainInBackground()).toMatchObject({ closed: 1 });
    expect(await home.sessions.get('left')).toMatchObject({ endReason: 'abandoned', endedAt: clock.now() });
  });

  it('purges trash past its grace even while the guard holds the rest', async () => {
    await using home = await open();
    await fill(home, 2);
    clock.advance(2 * DAY_MS);
    const [first = ''] = await ids(home);
    await home.apply(await home.plan({ kind: 'delete', ids: [first] }));
    clock.advance(100 * DAY_MS);
    expect(await home.maintainInBackground()).toMatchObject({ status: 'announced', removed: 1 });
    expect((await (await home.retention()).scan()).trash).toEqual([]);
  });

  it.each([
    ['a stamp in the future', JSON.stringify({ lastAt: NOW + 1000 * DAY_MS })],
    ['a stamp that is no stamp', 'not json'],
    ['a stamp of another shape', '[1,2]'],
  ])('recovers from %s', async (_, stamp) => {
    await using home = await open();
    await fill(home, 1);
    const { openSqliteStore } = await import('../../src/store/sqlite/sqlite-store.ts');
    const store = await openSqliteStore({
      path: join(path, 'state.db'),
      scratchDir: path,
      clock,
      transcripts: { write: ({ mark }) => ({ mark, problems: [] }) },
    });
    await store.setMeta('maintenance', stamp);
    await store[Symbol.asyncDispose]();
    expect((await home.maintainInBackground()).status).toMatch(/done|announced/);
    expect((await home.maintainInBackground()).status).toBe('not-due');
  });

  it('is done by one of many that start at once', async () => {
    const homes = await Promise.all(Array.from({ length: 4 }, () => open()));
    const [first] = homes;
    if (first !== undefined) await fill(first, 2);
    const reports = await Promise.all(homes.map((home) => home.maintainInBackground()));
    expect(reports.filter(({ status }) => status === 'done' || status === 'announced')).toHaveLength(1);
    await Promise.all(homes.map((home) => home.close()));
  });

  it('never throws into its host', async () => {
    const home = await open();
    await home.close();
    expect(await home.maintainInBackground()).toMatchObject({ status: 'failed' });
  });
});
