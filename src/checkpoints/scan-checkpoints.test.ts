import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addSnapshot, boundsStore, noise, runItem } from '../../test/support/checkpoint-bounds.ts';
import { NOW } from '../../test/support/clock.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { DAY_MS } from '../core/time.ts';
import { runGit } from '../platform/git/run-git.ts';
import { createCheckpointDriver } from './checkpoint-driver.ts';
import { reclaimStore } from './reclaim/reclaim-store.ts';
import { scanCheckpoints } from './scan-checkpoints.ts';
import { keepRef, pinRef, snapshotRef } from './store/store-layout.ts';
import { readStoreSize } from './store/store-size.ts';

const KB = 1024;
const AROUND = { active: [], sightings: new Map() };

describe('scanCheckpoints', () => {
  it('gives each checkpoint exactly the bytes that go with it when they go in order', async () => {
    const dir = tempDir();
    const store = await boundsStore(dir);
    const shared = noise('shared', 50 * KB);
    for (const [index, project] of ['p', 'q', 'p', 'q', 'p'].entries()) {
      const files = { shared, own: noise(`own ${index}`, (index + 1) * 10 * KB), [project]: noise(project, 20 * KB) };
      await addSnapshot(store, { workdir: join(dir, project), takenAt: NOW - DAY_MS + index, files });
    }
    const { items } = await scanCheckpoints(store, AROUND);
    const driver = createCheckpointDriver(store, { graceMs: -1000 });
    for (const [index, { id, projectId, sizeBytes }] of items.entries()) {
      const item = runItem({ id, projectId } as never, index + 1, { reason: 'named' });
      await driver.discard('run', [item]);
      await driver.purge('run', [item]);
      const before = await objectBytes();
      await reclaimStore(store, { graceMs: -1000 });
      expect(before - (await objectBytes())).toBe(sizeBytes);
    }
    async function objectBytes(): Promise<number> {
      return [...(await readStoreSize(store.layout)).loose.values()].reduce((sum, { diskBytes }) => sum + diskBytes, 0);
    }
  });

  it('counts what is in the trash for its run, and what nothing needs as dead', async () => {
    const dir = tempDir();
    const store = await boundsStore(dir);
    const [old] = [
      await addSnapshot(store, { workdir: join(dir, 'p'), takenAt: NOW - 2, files: { a: noise('a', 40 * KB) } }),
      await addSnapshot(store, { workdir: join(dir, 'p'), takenAt: NOW - 1, files: { a: noise('b', 40 * KB) } }),
    ];
    const driver = createCheckpointDriver(store);
    const item = runItem(old, 1);
    await driver.discard('run', [item]);
    const trashed = await scanCheckpoints(store, AROUND);
    expect([...trashed.trash.keys()]).toEqual(['run']);
    expect(trashed.trash.get('run')).toMatchObject({ items: 1 });
    expect(trashed.trash.get('run')?.sizeBytes).toBeGreaterThan(20 * KB);
    expect(trashed.deadBytes).toBe(0);
    await driver.purge('run', [item]);
    const { deadBytes, trash } = await scanCheckpoints(store, AROUND);
    expect(deadBytes).toBe(trashed.trash.get('run')?.sizeBytes);
    expect(trash.size).toBe(0);
  });

  it('knows what is pinned, needed by a restore and at work', async () => {
    const dir = tempDir();
    const store = await boundsStore(dir);
    const workdir = join(dir, 'p');
    const a = await addSnapshot(store, { workdir, takenAt: NOW - 2, files: { a: '1' } });
    const b = await addSnapshot(store, { workdir, takenAt: NOW - 1, files: { a: '2' } });
    await runGit(store.layout, ['update-ref', pinRef(a.id), a.id]);
    await runGit(store.layout, ['update-ref', keepRef('run', 'target'), b.id]);
    const scan = await scanCheckpoints(store, { ...AROUND, active: [join(workdir, 'src')] });
    const facts = scan.items.map(({ id, pinned, needed, active, place }) => ({ id, pinned, needed, active, place }));
    expect(facts).toContainEqual({ id: a.id, pinned: true, needed: false, active: true, place: 'present' });
    expect(facts).toContainEqual({ id: b.id, pinned: false, needed: true, active: true, place: 'present' });
    expect(scan.problems).toEqual([]);
  });

  it('holds checkpoints whose project cannot be read, and says so', async () => {
    const dir = tempDir();
    const store = await boundsStore(dir);
    for (const [name, damage] of [
      ['none', undefined],
      ['empty', ''],
      ['list', '[]'],
      ['null', 'null'],
    ] as const) {
      const { projectId } = await addSnapshot(store, { workdir: join(dir, name), files: { name } });
      if (damage === undefined) rmSync(store.layout.project(projectId));
      else writeFileSync(store.layout.project(projectId), damage);
      rmSync(join(dir, name), { recursive: true });
    }
    const { items, problems } = await scanCheckpoints(store, AROUND);
    expect(items.map(({ place }) => place)).toEqual(['unreachable', 'unreachable', 'unreachable', 'unreachable']);
    expect(problems.map(({ kind }) => kind)).toEqual(Array.from({ length: 4 }, () => 'project-unreadable'));
  });

  it('calls a folder gone only where something else is left beside it', async () => {
    const dir = tempDir();
    const store = await boundsStore(dir);
    for (const name of ['full/p', 'empty/p']) await addSnapshot(store, { workdir: join(dir, name), files: { name } });
    writeFileSync(join(dir, 'full', 'other'), '');
    for (const name of ['full/p', 'empty/p']) rmSync(join(dir, name), { recursive: true });
    const { items } = await scanCheckpoints(store, AROUND);
    const places = new Map(items.map(({ workdir, place }) => [workdir, place]));
    expect(places.get(join(dir, 'full/p'))).toBe('gone');
    expect(places.get(join(dir, 'empty/p'))).toBe('unreachable');
  });

  it('calls nothing dead while there is a ref that is not ours: what that needs is not known to be', async () => {
    const dir = tempDir();
    const store = await boundsStore(dir);
    const [mine] = [
      await addSnapshot(store, { workdir: join(dir, 'p'), files: { a: noise('mine', 40 * KB) } }),
      await addSnapshot(store, { workdir: join(dir, 'p'), takenAt: NOW + 1, files: { a: 'newest' } }),
    ];
    const forget = (ref: string) => runGit(store.layout, ['update-ref', '-d', ref]);
    await runGit(store.layout, ['update-ref', 'refs/heads/mine', mine.id]);
    await forget(snapshotRef(mine.projectId, mine.id));
    const { deadBytes, problems } = await scanCheckpoints(store, AROUND);
    expect([deadBytes, problems.map(({ kind }) => kind)]).toEqual([0, ['unknown-ref']]);
    await forget('refs/heads/mine');
    expect((await scanCheckpoints(store, AROUND)).deadBytes).toBeGreaterThan(20 * KB);
  });

  it('reports broken and unknown refs, and offers none of them for removal', async () => {
    const dir = tempDir();
    const store = await boundsStore(dir);
    const { gitDir, objects } = store.layout;
    const whole = await addSnapshot(store, { workdir: join(dir, 'p'), files: { a: 'whole' } });
    const lost = await addSnapshot(store, { workdir: join(dir, 'q'), files: { a: 'lost' } });
    const headless = await addSnapshot(store, { workdir: join(dir, 'r'), files: { a: 'whole' } });
    const { stdout } = await runGit({ gitDir }, ['rev-parse', `${lost.id}:a`]);
    const remove = (oid: string) => rmSync(join(objects, oid.slice(0, 2), oid.slice(2)));
    remove(stdout.toString().trim());
    remove(headless.id);
    mkdirSync(join(gitDir, 'refs', 'heads'), { recursive: true });
    await runGit({ gitDir }, ['update-ref', 'refs/heads/mine', whole.id]);
    const { items, problems, deadBytes } = await scanCheckpoints(store, AROUND);
    expect(items.map(({ id }) => id)).toEqual([whole.id]);
    expect(problems.map(({ kind }) => kind).toSorted()).toEqual([
      'checkpoint-incomplete',
      'checkpoint-unreadable',
      'unknown-ref',
    ]);
    expect(deadBytes).toBe(0);
    const before = readdirSync(objects, { recursive: true });
    expect(await reclaimStore(store, { graceMs: -1000 })).toBe(0);
    expect(readdirSync(objects, { recursive: true })).toEqual(before);
    expect((await scanCheckpoints(store, AROUND)).problems.map(({ kind }) => kind)).toContain('reclaim-failed');
  });
});
