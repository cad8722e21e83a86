import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import type { Outcome } from '../../src/core/retention/run.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { manualClock } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { CAN_MOUNT, smallDisk } from '../support/small-disk.ts';

const SETTINGS = [{ key: 'disk.ballast_mb', value: '4' }];

describe.skipIf(!CAN_MOUNT)('a home on a disk with no space left', () => {
  let disk: string;

  beforeEach(() => {
    disk = smallDisk('48m');
  });

  function fillUp(): void {
    const { bavail, bsize } = statfsSync(disk);
    const chunk = Buffer.alloc(bsize);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(Math.max(0, (bavail - 4) * bsize)));
    try {
      for (;;) writeFileSync(join(disk, 'filler'), chunk, { flag: 'a' });
    } catch {
      // Full, as wanted.
    }
    expect(statfsSync(disk).bavail).toBe(0);
  }

  it('removes and frees what it is told to, from nothing free', async () => {
    const clock = manualClock();
    const options = { path: join(disk, 'home'), clock, env: {}, settings: SETTINGS };
    {
      await using home = await openHome(options);
      for (const id of ['big', 'small', 'kept']) {
        const session = await home.sessions.create({ id, source: 'cli' });
        await session.append({ role: 'user', content: 'x'.repeat(id === 'big' ? 4_000_000 : 100) });
        await session.end('done');
      }
      clock.advance(2 * DAY_MS);
      // The first change of what the home keeps also lays in the reserve.
      await home.apply(await home.plan({ kind: 'delete', ids: ['small'] }));
      expect(existsSync(join(home.path, 'ballast'))).toBe(true);
    }
    fillUp();

    await using home = await openHome({ ...options, makeRoom: true });
    const { run, done } = await home.apply(await home.plan({ kind: 'delete', ids: ['big'] }));
    expect(done).toBe(1);
    const { freedBytes } = await (await home.retention()).emptyTrash(run.id);
    expect(freedBytes).toBeGreaterThan(3_000_000);
    expect((await collect(home.sessions.list())).map(({ id }) => id)).toEqual(['kept']);
    for await (const { name, problems } of home.check()) {
      expect(
        problems.filter(({ kind }) => kind !== 'not-checked'),
        name,
      ).toEqual([]);
    }
  });

  it('removes on a disk that became full while the home was open', async () => {
    const clock = manualClock();
    await using home = await openHome({ path: join(disk, 'home'), clock, env: {}, settings: SETTINGS });
    for (const id of ['a', 'b']) {
      const session = await home.sessions.create({ id, source: 'cli' });
      await session.append({ role: 'user', content: id.repeat(1_000_000) });
      await session.end('done');
    }
    await (await home.retention()).settle();
    clock.advance(2 * DAY_MS);
    const plan = await home.plan({ kind: 'delete', ids: ['a'] });
    fillUp();
    expect(await home.apply(plan)).toMatchObject({ done: 1, skipped: 0 });
    expect((await collect(home.sessions.list())).map(({ id }) => id)).toEqual(['b']);
  });

  it('frees in one run all that the rules let go of, from nothing free', async () => {
    const clock = manualClock();
    const rules = [...SETTINGS, { key: 'disk.min_free_mb', value: '16' }, { key: 'sessions.keep_last', value: '1' }];
    const options = { path: join(disk, 'home'), clock, env: {}, settings: rules };
    const ids = Array.from({ length: 8 }, (_, index) => `s${index}`);
    {
      await using home = await openHome(options);
      for (const id of ids) {
        const session = await home.sessions.create({ id, source: 'cli' });
        for (let part = 0; part < 6; part += 1)
          await session.append({ role: 'user', content: `${id} `.repeat(60_000) });
        if (id === 's1') await session.pin();
        await session.end('done');
        clock.advance(1000);
      }
      await (await home.retention()).settle();
    }
    fillUp();
    clock.advance(100 * DAY_MS);

    await using home = await openHome({ ...options, makeRoom: true });
    const removed: string[] = [];
    const onOutcome = ({ item, action, status }: Outcome) => removed.push(`${action} ${item.id} ${status}`);
    await home.apply(await home.plan(), { onOutcome, forGood: true });
    expect(removed.toSorted()).toEqual(['s0', 's2', 's3', 's4', 's5', 's6'].map((id) => `remove ${id} done`));
    expect((await collect(home.sessions.list())).map(({ id }) => id).toSorted()).toEqual(['s1', 's7']);
    // Each had its words in the transcript and in the database; the reserve is laid in again.
    const { bavail, bsize } = statfsSync(disk);
    expect(existsSync(join(home.path, 'ballast'))).toBe(true);
    expect(bavail * bsize).toBeGreaterThan(0.95 * 6 * 2 * 1_080_000);
    for (const id of ['s1', 's7']) {
      const contents = (await collect((await home.sessions.open(id)).messages())).map(({ content }) => content);
      expect(contents).toEqual(Array(6).fill(`${id} `.repeat(60_000)));
    }
  });

  it('says so when an append finds no space, and loses nothing that was acknowledged', async () => {
    await using home = await openHome({ path: join(disk, 'home'), env: {} });
    const session = await home.sessions.create({ id: 's', source: 'cli' });
    await session.append({ role: 'user', content: 'before' });
    fillUp();
    await expect(session.append({ role: 'user', content: 'x'.repeat(5_000_000) })).rejects.toThrow('no space left');
    rmSync(join(disk, 'filler'));
    await session.append({ role: 'user', content: 'after' });
    expect((await collect(session.messages())).map(({ content }) => content)).toEqual(['before', 'after']);
    for await (const { name, problems } of home.check()) expect(problems, name).toEqual([]);
  });
});
