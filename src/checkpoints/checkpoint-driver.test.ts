import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addSnapshot, boundsStore, putFile, runItem } from '../../test/support/checkpoint-bounds.ts';
import { NOW } from '../../test/support/clock.ts';
import { oddGit } from '../../test/support/odd-git.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { runGit } from '../platform/git/run-git.ts';
import { createCheckpointDriver } from './checkpoint-driver.ts';
import { readSnapshots } from './store/read-snapshots.ts';
import { keepRef, pinRef, snapshotRef, trashRef } from './store/store-layout.ts';
import { readRefs } from './store/store-refs.ts';

async function scene() {
  const dir = tempDir();
  const store = await boundsStore(dir);
  const add = (name: string, takenAt: number, project = 'p') =>
    addSnapshot(store, { workdir: join(dir, project), takenAt, files: { name } });
  return {
    dir,
    store,
    add,
    driver: createCheckpointDriver(store),
    refs: async () => [...(await readRefs(store.layout)).keys()].toSorted(),
  };
}

describe('the checkpoint driver', () => {
  it('takes checkpoints away and gives them back under the same ids, and may be asked twice', async () => {
    const { add, driver, refs } = await scene();
    const [a, b] = [await add('a', NOW - 3), await add('b', NOW - 2), await add('c', NOW - 1)];
    const items = [runItem(a, 1), runItem(b, 2)];
    const before = await refs();
    const done = [1, 2].map((number) => ({ number, status: 'done' }));
    expect(await driver.discard('run', items)).toEqual(done);
    const taken = await refs();
    expect(taken).toContain(trashRef('run', 1));
    expect(taken).not.toContain(snapshotRef(a.projectId, a.id));
    expect(await driver.discard('run', items)).toEqual(done);
    expect(await refs()).toEqual(taken);
    expect(await driver.restore('run', items)).toEqual(done);
    expect(await driver.restore('run', items)).toEqual(done);
    expect(await refs()).toEqual(before);
  });

  it('purges what is in the trash, and may be asked twice', async () => {
    const { add, driver, refs } = await scene();
    const [a] = [await add('a', NOW - 2), await add('b', NOW - 1)];
    const items = [runItem(a, 1)];
    await driver.discard('run', items);
    expect(await driver.purge('run', items)).toEqual([{ number: 1, status: 'done' }]);
    expect(await driver.purge('run', items)).toEqual([{ number: 1, status: 'done' }]);
    expect(await refs()).toHaveLength(1);
    expect(await driver.restore('run', items)).toMatchObject([{ status: 'skipped' }]);
  });

  it('leaves what was pinned, needed or became the newest since the plan, and takes the rest', async () => {
    const { add, driver, store } = await scene();
    const all = [];
    for (const [index, name] of ['pinned', 'needed', 'free', 'newest'].entries())
      all.push(await add(name, NOW + index));
    const [pinned, needed] = all;
    if (pinned === undefined || needed === undefined) throw new Error('no scene');
    await runGit(store.layout, ['update-ref', pinRef(pinned.id), pinned.id]);
    await runGit(store.layout, ['update-ref', keepRef('other', 'safety'), needed.id]);
    const outcomes = await driver.discard(
      'run',
      all.map((one, index) => runItem(one, index + 1)),
    );
    expect(outcomes).toEqual([
      { number: 1, status: 'skipped', detail: 'It was pinned since the plan was made.' },
      { number: 2, status: 'skipped', detail: 'A restore needs it now.' },
      { number: 3, status: 'done' },
      { number: 4, status: 'skipped', detail: 'It is the newest of its project by now.' },
    ]);
  });

  it('takes checkpoints of a folder that is gone only while it still is', async () => {
    const { add, driver, dir } = await scene();
    const a = await add('a', NOW);
    const item = runItem(a, 1, { reason: 'gone' });
    expect(await driver.discard('run', [item])).toMatchObject([{ status: 'skipped' }]);
    rmSync(join(dir, 'p'), { recursive: true });
    writeFileSync(join(dir, 'other'), '');
    expect(await driver.discard('run', [item])).toEqual([{ number: 1, status: 'done' }]);
  });

  it('finishes a move that was cut short between its two refs, and heals the locks of a killed git', async () => {
    const { add, driver, refs, store } = await scene();
    const [a] = [await add('a', NOW - 2), await add('b', NOW - 1)];
    await runGit(store.layout, ['update-ref', trashRef('run', 1), a.id]);
    for (const name of [trashRef('run', 1), snapshotRef(a.projectId, a.id)])
      putFile(join(store.layout.gitDir, `${name}.lock`), '');
    expect(await driver.discard('run', [runItem(a, 1)])).toEqual([{ number: 1, status: 'done' }]);
    expect(await refs()).not.toContain(snapshotRef(a.projectId, a.id));
  });

  it('leaves a move to be finished that git has begun and never ends, and lists it nowhere twice', async () => {
    const { add, driver, store, refs } = await scene();
    const [a] = [await add('a', NOW - 2), await add('b', NOW - 1)];
    const items = [runItem(a, 1)];
    const listed = async () => (await readSnapshots(store)).checkpoints.map(({ id }) => id);
    {
      using _dying = oddGit('update-ref', `$git update-ref ${trashRef('run', 1)} ${a.id}; kill -KILL $$`);
      expect(await driver.discard('run', items)).toMatchObject([{ number: 1, status: 'unfinished' }]);
    }
    expect(await refs()).toEqual(expect.arrayContaining([trashRef('run', 1), snapshotRef(a.projectId, a.id)]));
    expect(await listed()).not.toContain(a.id);
    expect(await driver.discard('run', items)).toEqual([{ number: 1, status: 'done' }]);
    expect(await refs()).not.toContain(snapshotRef(a.projectId, a.id));
    await driver.restore('run', items);
    expect(await listed()).toContain(a.id);
  });

  it('moves refs that somebody packed', async () => {
    const { add, driver, refs, store } = await scene();
    const [a] = [await add('a', NOW - 2), await add('b', NOW - 1)];
    const before = await refs();
    await runGit(store.layout, ['pack-refs', '--all', '--prune']);
    expect(await driver.discard('run', [runItem(a, 1)])).toEqual([{ number: 1, status: 'done' }]);
    await runGit(store.layout, ['pack-refs', '--all', '--prune']);
    expect(await driver.restore('run', [runItem(a, 1)])).toEqual([{ number: 1, status: 'done' }]);
    expect(await refs()).toEqual(before);
  });

  it('notices between two groups of a run that the newest is gone', async () => {
    const { add, driver, store } = await scene();
    const [a, b, c] = [await add('a', NOW - 3), await add('b', NOW - 2), await add('c', NOW - 1)];
    expect(await driver.discard('run', [runItem(a, 1)])).toEqual([{ number: 1, status: 'done' }]);
    await runGit(store.layout, ['update-ref', '-d', snapshotRef(c.projectId, c.id)]);
    expect(await driver.discard('run', [runItem(b, 2)])).toMatchObject([{ status: 'skipped' }]);
  });

  it('lets nothing but names of checkpoints reach git', async () => {
    const { add, driver, refs } = await scene();
    const a = await add('a', NOW);
    const before = await refs();
    const bad = [
      runItem(a, 1, { fingerprint: `x\ndelete ${snapshotRef(a.projectId, a.id)}` }),
      runItem(a, 2, { item: { kind: 'checkpoint', id: '--help' } }),
      runItem(a, 3, { fingerprint: '../../heads' }),
    ];
    expect((await driver.discard('run', bad)).every(({ status }) => status === 'skipped')).toBe(true);
    expect((await driver.restore('run', bad)).every(({ status }) => status === 'skipped')).toBe(true);
    expect(await refs()).toEqual(before);
  });
});
