import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addSnapshot, boundsStore, noise, putFile, runItem } from '../../../test/support/checkpoint-bounds.ts';
import { savedFiles } from '../../../test/support/checkpoint-store.ts';
import { manualClock, NOW } from '../../../test/support/clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { Checkpoint } from '../../core/retention/checkpoint.ts';
import { DAY_MS, MINUTE_MS } from '../../core/time.ts';
import { runGit } from '../../platform/git/run-git.ts';
import { createCheckpointDriver } from '../checkpoint-driver.ts';
import { keptIndex } from '../store/index-cache.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { readProject } from '../store/project-book.ts';
import { readStoreSize } from '../store/store-size.ts';
import { verifyStore } from './verify-store.ts';
import { reachableObjects } from './reachable-objects.ts';
import { isBackingOff, lastFailure } from './reclaim-memory.ts';
import { writePack } from './reclaim-packs.ts';
import { reclaimStore } from './reclaim-store.ts';

const NO_GRACE = { graceMs: -1000 };
/** Above any limit, so that even a little is packed. */
const TIGHT = { ...NO_GRACE, maxBytes: 1 };

async function scene(count: number) {
  const dir = tempDir();
  const store = await boundsStore(dir);
  const checkpoints: Checkpoint[] = [];
  for (let index = 0; index < count; index += 1) {
    const files = { big: noise(`${index}`, 30_000), same: 'same', ...(await smallFiles(index)) };
    checkpoints.push(await addSnapshot(store, { workdir: join(dir, 'p'), takenAt: NOW - DAY_MS + index, files }));
  }
  return { dir, store, checkpoints };
}

async function smallFiles(index: number): Promise<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`small ${at}`, `${index} ${at}`]));
}

async function drop(store: CheckpointStore, checkpoints: readonly Checkpoint[]): Promise<void> {
  const driver = createCheckpointDriver(store);
  const items = checkpoints.map((one, index) => runItem(one, index + 1, { reason: 'named' }));
  await driver.discard('run', items);
  await driver.purge('run', items);
}

async function expectWhole(store: CheckpointStore, checkpoints: readonly Checkpoint[]): Promise<void> {
  const { problems, checkpoints: count } = await verifyStore(store);
  expect(problems).toEqual([]);
  expect(count).toBe(checkpoints.length);
  for (const { id } of checkpoints) expect((await savedFiles(store, id)).size).toBe(14);
}

describe('reclaimStore', () => {
  it('removes the objects of dropped checkpoints at once, with folders that are empty then, and none that is needed', async () => {
    const { store, checkpoints } = await scene(4);
    await drop(store, checkpoints.slice(0, 2));
    expect(await reclaimStore(store, { graceMs: MINUTE_MS })).toBe(0);
    expect(await reclaimStore(store)).toBeGreaterThan(30_000);
    expect(await reclaimStore(store)).toBe(0);
    const folders = readdirSync(store.layout.objects).filter((name) => name.length === 2);
    expect(folders.filter((name) => readdirSync(join(store.layout.objects, name)).length === 0)).toEqual([]);
    await expectWhole(store, checkpoints.slice(2));
    const { loose } = await readStoreSize(store.layout);
    expect([...loose.keys()].toSorted()).toEqual([...(await reachableObjects(store.layout)).keys()].toSorted());
  });

  it('keeps what is in the trash, so that it can be given back whole', async () => {
    const { store, checkpoints } = await scene(3);
    const driver = createCheckpointDriver(store);
    const items = checkpoints.slice(0, 2).map((one, index) => runItem(one, index + 1));
    await driver.discard('run', items);
    await reclaimStore(store, TIGHT);
    await driver.restore('run', items);
    await expectWhole(store, checkpoints);
  });

  it('packs what is in use, and writes packs anew when they are mostly dead', async () => {
    const { store, checkpoints } = await scene(10);
    await reclaimStore(store, TIGHT);
    const packed = await readStoreSize(store.layout);
    expect([packed.loose.size, packed.packs.length]).toEqual([0, 1]);
    await expectWhole(store, checkpoints);
    await drop(store, checkpoints.slice(0, 8));
    expect(await reclaimStore(store, NO_GRACE)).toBeGreaterThan(100_000);
    const after = await readStoreSize(store.layout);
    expect(after.packs).toHaveLength(1);
    expect(after.packs[0]?.name).not.toBe(packed.packs[0]?.name);
    await expectWhole(store, checkpoints.slice(8));
  });

  it('leaves a pack alone in which little is dead, unless space is short', async () => {
    const { store, checkpoints } = await scene(10);
    await reclaimStore(store, TIGHT);
    await drop(store, checkpoints.slice(0, 1));
    expect(await reclaimStore(store, NO_GRACE)).toBe(0);
    expect(await reclaimStore(store, TIGHT)).toBeGreaterThan(10_000);
    await expectWhole(store, checkpoints.slice(1));
  });

  it('drops a pack whose objects another pack holds, as a killed run leaves one', async () => {
    const { store, checkpoints } = await scene(10);
    await reclaimStore(store, TIGHT);
    const lines = [...(await reachableObjects(store.layout)).values()];
    await writePack(store.layout, lines.slice(0, lines.length / 2));
    expect((await readStoreSize(store.layout)).packs).toHaveLength(2);
    await reclaimStore(store, NO_GRACE);
    expect((await readStoreSize(store.layout)).packs).toHaveLength(1);
    await expectWhole(store, checkpoints);
  });

  it('sweeps what killed commands left, and nothing that is young or not debris', async () => {
    const { store, checkpoints } = await scene(1);
    const { gitDir } = store.layout;
    const debris = [
      'objects/pack/tmp_pack_AbCdEf',
      'objects/pack/.tmp-999999999-pack-0123.pack',
      'objects/12/tmp_obj_XyZ',
      `objects/pack/pack-${'0'.repeat(40)}.pack`,
      'objects/tmp_objdir-bulk-fsync-123/ab/cdef',
      'refs/coppice/trash/run/1.lock',
      'packed-refs.lock',
      `indexes/${checkpoints[0]?.projectId ?? ''}`,
      `indexes/${checkpoints[0]?.projectId ?? ''}.lock`,
    ];
    const others = ['objects/pack/notes.txt', `objects/pack/.tmp-${process.pid}-pack-1.pack`, 'locks/a.lock', 'x.lock'];
    const old = (Date.now() - 11 * MINUTE_MS) / 1000;
    for (const path of [...debris, ...others]) {
      putFile(join(gitDir, path));
      utimesSync(join(gitDir, path), old, old);
    }
    utimesSync(join(gitDir, 'objects/tmp_objdir-bulk-fsync-123'), old, old);
    putFile(join(gitDir, 'objects/pack/tmp_pack_young'));
    await reclaimStore(store);
    expect(debris.filter((path) => existsSync(join(gitDir, path)))).toEqual([]);
    expect(others.filter((path) => existsSync(join(gitDir, path)))).toEqual(others);
    expect(existsSync(join(gitDir, 'objects/pack/tmp_pack_young'))).toBe(true);
    await expectWhole(store, checkpoints);
  });

  it('drops the index of a checkpoint that is gone, and all that is left of a project without checkpoints', async () => {
    const { store, checkpoints, dir } = await scene(2);
    const [first, second] = checkpoints;
    if (first === undefined || second === undefined) throw new Error('no scene');
    const other = await addSnapshot(store, { workdir: join(dir, 'q'), files: { a: 'a' } });
    for (const { projectId } of [first, other]) putFile(keptIndex(store.layout, projectId));
    await drop(store, [second]);
    await reclaimStore(store, NO_GRACE);
    expect(existsSync(keptIndex(store.layout, first.projectId))).toBe(false);
    expect(existsSync(keptIndex(store.layout, other.projectId))).toBe(true);
    await drop(store, [first]);
    await reclaimStore(store, NO_GRACE);
    expect(readProject(store.layout, first.projectId)).toBe('none');
    expect(readProject(store.layout, other.projectId)).not.toBe('none');
  });

  it('drops the index of a project that was not used for a week, and others only as far as room is short', async () => {
    const dir = tempDir();
    const store = await boundsStore(dir);
    const add = (name: string, takenAt: number) =>
      addSnapshot(store, { workdir: join(dir, name), takenAt, files: { name } });
    const all = [await add('week', NOW - 8 * DAY_MS), await add('days', NOW - 2 * DAY_MS), await add('now', NOW)];
    const paths = all.map(({ projectId }) => keptIndex(store.layout, projectId));
    for (const path of paths) putFile(path, 'index'.repeat(20_000));
    const left = () => paths.map((path) => existsSync(path));
    expect(await reclaimStore(store)).toBeGreaterThanOrEqual(100_000);
    expect(left()).toEqual([false, true, true]);
    expect(readProject(store.layout, all[0]?.projectId ?? '')).not.toBe('none');
    const { diskBytes, indexBytes } = await readStoreSize(store.layout);
    await reclaimStore(store, { maxBytes: diskBytes + indexBytes });
    expect(left()).toEqual([false, true, true]);
    // Room for exactly one of the two.
    await reclaimStore(store, { maxBytes: diskBytes + indexBytes / 2 });
    expect(left()).toEqual([false, false, true]);
    await reclaimStore(store, { maxBytes: 1 });
    expect(left()).toEqual([false, false, false]);
    expect(await verifyStore(store)).toMatchObject({ checkpoints: 3, problems: [] });
  });

  it('spares what a checkpoint needs that appeared while it was at work', async () => {
    const { store, checkpoints, dir } = await scene(2);
    const [first] = checkpoints;
    if (first === undefined) throw new Error('no scene');
    await drop(store, [first]);
    const lock = {
      share: store.lock.share.bind(store.lock),
      async alone(waitMs: number) {
        // A take that found the objects of the dropped checkpoint still there, and used them again.
        await runGit(store.layout, ['update-ref', `refs/coppice/snapshots/${first.projectId}/${first.id}`, first.id]);
        return store.lock.alone(waitMs);
      },
    };
    await reclaimStore({ ...store, lock }, NO_GRACE);
    await expectWhole(store, checkpoints);
    await reclaimStore(store, TIGHT);
    await drop(store, [first]);
    await addSnapshot(store, { workdir: join(dir, 'q'), files: await smallFiles(9) });
    await reclaimStore({ ...store, lock }, TIGHT);
    expect((await verifyStore(store)).problems).toEqual([]);
    expect((await savedFiles(store, first.id)).size).toBe(14);
  });

  it('leaves a pack in which a checkpoint that appeared meanwhile finds what it needs, and calls it no damage', async () => {
    const { store, checkpoints } = await scene(8);
    await reclaimStore(store, TIGHT);
    const [first] = checkpoints;
    if (first === undefined) throw new Error('no scene');
    await drop(store, checkpoints.slice(0, 6));
    const others = checkpoints.slice(6);
    const ref = `refs/coppice/snapshots/${first.projectId}/${first.id}`;
    const clock = {
      now() {
        // Once it is decided what goes, a take finds the objects of a dropped checkpoint still there, and uses them again.
        execFileSync('git', ['--git-dir', store.layout.gitDir, 'update-ref', ref, first.id]);
        return NOW;
      },
    };
    await reclaimStore({ ...store, clock }, { ...TIGHT, insist: true });
    expect(lastFailure(store.layout)).toEqual([]);
    await expectWhole(store, [first, ...others]);
    await drop(store, [first]);
    expect(await reclaimStore(store, TIGHT)).toBeGreaterThan(10_000);
    await expectWhole(store, others);
  });

  it('spares what a killed process was about to give a ref, as long as its git may still live', async () => {
    const { store, checkpoints } = await scene(2);
    const [first] = checkpoints;
    if (first === undefined) throw new Error('no scene');
    await drop(store, [first]);
    const promise = join(store.layout.promises, first.id);
    putFile(promise, '');
    putFile(join(store.layout.promises, '0'.repeat(40)), '');
    await reclaimStore(store, TIGHT);
    // The git that outlived its parent makes the ref only now.
    await runGit(store.layout, ['update-ref', `refs/coppice/snapshots/${first.projectId}/${first.id}`, first.id]);
    await expectWhole(store, checkpoints);
    await drop(store, [first]);
    const old = Date.now() / 1000 - 11 * 60;
    utimesSync(promise, old, old);
    expect(await reclaimStore(store, TIGHT)).toBeGreaterThan(10_000);
    expect(readdirSync(store.layout.promises)).toEqual(['0'.repeat(40)]);
    await expectWhole(store, checkpoints.slice(1));
  });

  it('gives way to takes that hold the store, and leaves no half of its work', async () => {
    const { store, checkpoints } = await scene(10);
    const { lock } = store;
    const impatient = { share: (waitMs: number) => lock.share(waitMs), alone: () => lock.alone(0) };
    {
      using _take = await lock.share(1000);
      expect(await reclaimStore({ ...store, lock: impatient }, TIGHT)).toBe(0);
    }
    expect((await readStoreSize(store.layout)).packs).toEqual([]);
    expect(lastFailure(store.layout)).toEqual([]);
    await expectWhole(store, checkpoints);
  });

  it('waits longer after each failure, says so, and forgets it once it succeeds', async () => {
    const dir = tempDir();
    const clock = manualClock();
    const store = await boundsStore(dir, clock);
    await addSnapshot(store, { workdir: join(dir, 'p'), files: { a: 'a' } });
    const failing = { ...store, lock: { ...store.lock, alone: () => Promise.reject(new Error('no luck')) } };
    putFile(join(store.layout.objects, 'pack', 'tmp_pack_x'));
    for (const waitMs of [10, 20, 40].map((minutes) => minutes * MINUTE_MS)) {
      await reclaimStore(failing, NO_GRACE);
      clock.advance(waitMs - 1);
      expect(isBackingOff(store.layout, clock.now())).toBe(true);
      clock.advance(1);
      expect(isBackingOff(store.layout, clock.now())).toBe(false);
    }
    expect(lastFailure(store.layout)[0]?.message).toContain('no luck');
    await reclaimStore(store, NO_GRACE);
    expect(lastFailure(store.layout)).toEqual([]);
    writeFileSync(join(store.layout.root, 'reclaim.json'), 'damaged');
    expect(isBackingOff(store.layout, clock.now())).toBe(false);
    expect(readdirSync(join(store.layout.objects, 'pack'))).toEqual([]);
  });
});

describe('verifyStore', () => {
  it('names checkpoints that miss a part, and objects that were changed', async () => {
    const { store, checkpoints } = await scene(2);
    const [first] = checkpoints;
    const { stdout } = await runGit(store.layout, ['rev-parse', `${first?.id}:big`]);
    const oid = stdout.toString().trim();
    const path = join(store.layout.objects, oid.slice(0, 2), oid.slice(2));
    chmodSync(path, 0o600);
    writeFileSync(path, 'garbage');
    expect((await verifyStore(store)).problems.map(({ kind }) => kind)).toContain('object-damaged');
    rmSync(path);
    const { problems } = await verifyStore(store);
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'checkpoint-incomplete', subject: first?.id }));
  });

  it('tells how far it has come, in files of their own and in packs, up to the last', async () => {
    const { store } = await scene(8);
    const told: [number, number][] = [];
    const onProgress = (done: number, total: number) => told.push([done, total]);
    for (const [packs, prepare] of [
      [0, async () => 0],
      [1, () => reclaimStore(store, TIGHT)],
    ] as const) {
      told.length = 0;
      await prepare();
      const size = await readStoreSize(store.layout);
      expect(size.packs).toHaveLength(packs);
      expect((await verifyStore(store, { onProgress })).problems).toEqual([]);
      const total = size.loose.size + size.packs.reduce((sum, { objects }) => sum + objects.size, 0);
      expect(told.at(-1)).toEqual([total, total]);
      expect(told.map(([done]) => done)).toEqual(told.map(([done]) => done).toSorted((a, b) => a - b));
    }
  });

  it('has nothing to say about files of a project that git itself would not like', async () => {
    const dir = tempDir();
    const store = await boundsStore(dir);
    const files = {
      '.gitmodules': '[submodule "../x"]\n\turl = -u\n\tpath = ../y\n',
      '.gitattributes': 'x'.repeat(5000),
    };
    await addSnapshot(store, { workdir: join(dir, 'p'), files });
    expect((await verifyStore(store)).problems).toEqual([]);
  });
});
