import { existsSync, lstatSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/time.ts';
import { type ArchiveDesk, openArchiveDesk } from '../support/archive-desk.ts';
import { NOW } from '../support/clock.ts';
import { collect, user } from '../support/collect.ts';

let desk: ArchiveDesk;

beforeEach(async () => {
  desk = await openArchiveDesk();
});

describe('the bundles of an archive, as sessions come and go', () => {
  it('removes archives past their retention, gives them back, and forgets them with their bundle', async () => {
    await desk.add('a', [user('one')]);
    await desk.archive();
    desk.clock.advance(40 * DAY_MS);
    await desk.reopen({ key: 'archive.retention_days', value: '30' });
    const plan = await desk.home.plan();
    const going = plan.decisions.filter(({ item }) => item.kind === 'archive');
    expect(going).toMatchObject([{ item: { id: 'a' }, action: 'remove', reason: 'archive-retention' }]);
    const { run } = await desk.home.apply({ ...plan, decisions: going });
    expect(await desk.home.sessions.get('a')).toBeUndefined();
    await desk.home.undo(run.id);
    expect((await desk.home.sessions.get('a'))?.archivedAt).toBe(NOW + 100 * DAY_MS);
    desk.clock.advance(1000);
    const again = await desk.home.apply(await desk.home.plan({ kind: 'delete', ids: ['a'] }));
    expect(again.done).toBe(1);
    expect(desk.bundles()).toHaveLength(1);
    await (await desk.home.retention()).emptyTrash(again.run.id);
    expect(desk.bundles()).toEqual([]);
    const items = await collect(
      (await desk.home.retention()).items((await collect((await desk.home.retention()).runs())).at(-1)?.id ?? ''),
    );
    expect(items.map(({ state }) => state)).toEqual(['purged']);
    await desk.noProblems();
  });

  it('writes a bundle anew when most of it is dead, and the rest restores from the copy', async () => {
    const noise = (seed: number) =>
      Array.from({ length: 8000 }, (_, at) => ((at * seed * 2654435761) >>> 9).toString(36)).join('');
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) await desk.add(id, [user(noise(at + 3))]);
    await desk.archive();
    const [first = ''] = desk.bundles();
    const size = lstatSync(join(desk.layout.archive, first)).size;
    const freed = await desk.home.apply(await desk.home.plan({ kind: 'delete', ids: ['a', 'b', 'c'] }));
    await (await desk.home.retention()).emptyTrash(freed.run.id);
    const [second = ''] = desk.bundles();
    expect(desk.bundles()).toHaveLength(1);
    expect(second).not.toBe(first);
    expect(lstatSync(join(desk.layout.archive, second)).size).toBeLessThan(size / 2);
    await desk.restore('d');
    expect((await collect((await desk.home.sessions.open('d')).messages())).map(({ content }) => content)).toEqual([
      noise(6),
    ]);
    await desk.noProblems();
  });

  it('calls a bundle without a session debris, and removes it once it is old', async () => {
    await desk.add('a', [user('one')]);
    await desk.archive();
    const stale = join(desk.layout.archive, '20200101T000000000Z-0011aabb.tar');
    for (const path of [stale, join(desk.layout.archive, `.tmp-1-${'0'.repeat(16)}`)]) {
      writeFileSync(path, 'left');
      utimesSync(path, NOW / 1000, NOW / 1000);
    }
    writeFileSync(join(desk.layout.archive, 'README'), 'mine');
    const { strays, problems } = await (await desk.home.retention()).scan();
    expect(strays.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      `debris archive/.tmp-1-${'0'.repeat(16)}`,
      'debris archive/20200101T000000000Z-0011aabb.tar',
    ]);
    expect(problems.map(({ subject }) => subject)).toEqual(['archive/README']);
    const plan = await desk.home.plan();
    const inUse = plan.decisions.map((each) =>
      each.item.id === 'archive/20200101T000000000Z-0011aabb.tar'
        ? { ...each, item: { ...each.item, id: `archive/${desk.bundles()[1]}` } }
        : each,
    );
    await desk.home.apply({ ...plan, decisions: inUse });
    expect(readdirSync(desk.layout.archive).toSorted()).toEqual(
      [desk.bundles()[0], desk.bundles()[1], 'README'].toSorted(),
    );
    await desk.home.apply(await desk.home.plan());
    expect(existsSync(stale)).toBe(false);
    expect(desk.bundles()).toHaveLength(1);
    await desk.restore('a');
  });

  it('archives by the rules, in maintenance too, and counts as used what it keeps', async () => {
    await desk.reopen({ key: 'sessions.archive_after_days', value: '30' });
    for (const id of ['a', 'b'])
      await desk.add(
        id,
        Array.from({ length: 10 }, (_, at) => user(`${id} ${at}`)),
      );
    desk.clock.set(NOW + 50 * DAY_MS);
    const retention = await desk.home.retention();
    expect(await retention.maintain({ now: true })).toMatchObject({ waiting: { items: 2 } });
    expect(await retention.maintain({ now: true })).toMatchObject({ status: 'done', archived: 2, removed: 0 });
    const { archives, disk } = await retention.scan();
    expect(archives.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(disk.usedBytes).toBeGreaterThan(lstatSync(join(desk.layout.archive, desk.bundles()[0] ?? '')).size);
    expect(await desk.restore('a', 'b')).toEqual({ done: 2, skipped: 0 });
  });
});
