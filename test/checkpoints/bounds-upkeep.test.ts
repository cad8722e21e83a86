import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DAY_MS } from '../../src/core/time.ts';
import { createSharedLock } from '../../src/store/sqlite/sqlite-shared-lock.ts';
import { boundsScene, idsOf, letTimePass } from '../support/bounds-scene.ts';
import { noise } from '../support/checkpoint-bounds.ts';
import { takenOf } from '../support/checkpoint-store.ts';
import { CAN_MOUNT } from '../support/small-disk.ts';

describe('the checkpoints of a home', () => {
  it('of a folder that is gone stay until a person prunes, and come back with an undo', async () => {
    const { dir, home, clock, take } = await boundsScene();
    await take('p', 'p');
    await take('q', 'q');
    rmSync(join(dir, 'work', 'q'), { recursive: true });
    clock.advance(2 * DAY_MS);
    await home.checkpoints.settled();
    await home.checkpoints.keepBounded();
    const before = await idsOf(home);
    expect(before).toHaveLength(2);
    const applied = await home.checkpoints.prune({ keepOrphans: false });
    expect(await idsOf(home)).toHaveLength(1);
    await home.undo(applied?.run.id ?? '');
    expect(await idsOf(home)).toEqual(before);
  });

  it('are cleared by a person, except for pinned ones, and come back with an undo', async () => {
    const { home, take } = await boundsScene();
    const pinned = await take('p', 'pinned');
    for (const name of ['a', 'b']) await take('p', name);
    await home.checkpoints.pin(pinned.id);
    const before = await idsOf(home);
    const { run, done } = await home.apply(await home.plan({ kind: 'clear-checkpoints' }));
    expect(done).toBe(2);
    expect(await idsOf(home)).toEqual([pinned.id]);
    await home.undo(run.id);
    expect(await idsOf(home)).toEqual(before);
    expect((await home.checkpoints.verify()).problems).toEqual([]);
  });

  it('give their bytes back when the trash is emptied', async () => {
    const { home, take } = await boundsScene();
    for (const name of ['a', 'b']) await take('p', noise(name, 200_000));
    const { run } = await home.apply(await home.plan({ kind: 'clear-checkpoints' }));
    letTimePass(home);
    const { freedBytes } = await (await home.retention()).emptyTrash(run.id);
    expect(freedBytes).toBeGreaterThan(200_000);
    expect(await home.checkpoints.projects()).toEqual([]);
    await take('p', 'again');
    expect((await home.checkpoints.verify()).problems).toEqual([]);
  });

  it('stand in the plan of the policy, and their fate is explained', async () => {
    const { home, clock, take } = await boundsScene();
    const old = await take('p', 'old');
    await take('p', 'new');
    await home.checkpoints.settled();
    clock.advance(40 * DAY_MS);
    const plan = await home.plan();
    expect(plan.decisions.find(({ item }) => item.id === old.id)).toMatchObject({
      action: 'remove',
      reason: 'retention',
    });
    const explained = await (await home.retention()).explain({ kind: 'checkpoint', id: old.id });
    expect(explained?.decision.reason).toBe('retention');
  });

  it('that somebody removed with the whole store are no obstacle to the rest of a run', async () => {
    const { home, take } = await boundsScene();
    for (const name of ['a', 'b']) await take('p', name);
    await home.checkpoints.settled();
    const { run } = await home.apply(await home.plan({ kind: 'clear-checkpoints' }));
    rmSync(join(home.path, 'checkpoints'), { recursive: true });
    expect(await home.undo(run.id)).toMatchObject({ done: 0, skipped: 2 });
    expect(await (await home.retention()).emptyTrash(run.id)).toMatchObject({ items: 2, skipped: 0 });
    expect((await home.plan()).decisions.filter(({ action }) => action !== 'keep')).toEqual([]);
  });

  it('that cannot be read are a problem, and no obstacle to looking after sessions', async () => {
    const { home, take } = await boundsScene();
    await take('p', 'p');
    await home.checkpoints.settled();
    const config = join(home.path, 'checkpoints', 'store', 'config');
    writeFileSync(
      config,
      readFileSync(config, 'utf8').replace(/(\[coppice\]\s+version = )\d+/, (_, before: string) => `${before}99`),
    );
    const { problems, checkpoints } = await (await home.retention()).scan();
    expect(checkpoints).toEqual([]);
    expect(problems.map(({ kind }) => kind)).toEqual(['checkpoints-unreadable']);
    await expect(home.checkpoints.prune()).rejects.toMatchObject({ code: 'integrity' });
    expect(await home.checkpoints.keepBounded()).toMatchObject({ status: 'failed' });
  });

  it('are looked after by one process at a time', async () => {
    const { home, take } = await boundsScene({ 'checkpoints.max_snapshots': '2', 'checkpoints.auto_prune': 'true' });
    for (const name of ['a', 'b']) await take('p', name);
    await home.checkpoints.settled();
    using _other = await createSharedLock(join(home.path, 'checkpoints', 'pass.db')).alone(0);
    await take('p', 'c');
    await home.checkpoints.settled();
    expect(await home.checkpoints.keepBounded()).toEqual({ status: 'busy' });
    expect(await idsOf(home)).toHaveLength(3);
  });

  it('in layouts of before are removed by a person alone, and come back with an undo', async () => {
    const { home, take } = await boundsScene();
    await take('p', 'p');
    const legacy = join(home.path, 'checkpoints', 'legacy-20260101-000000');
    mkdirSync(join(legacy, 'old'), { recursive: true });
    writeFileSync(join(legacy, 'old', 'HEAD'), 'ref: refs/heads/main\n');
    expect((await home.plan()).decisions.filter(({ item }) => item.kind === 'orphan')).toEqual([]);
    // One that nothing has moved aside yet: looking does not, and clearing does not need it.
    const waiting = join(home.path, 'checkpoints', '0123456789abcdef');
    mkdirSync(join(waiting, 'objects'), { recursive: true });
    writeFileSync(join(waiting, 'HEAD'), 'ref: refs/heads/main\n');
    expect((await home.checkpoints.status()).legacy.items).toBe(2);
    const { run, done } = await home.apply(await home.plan({ kind: 'clear-legacy' }));
    expect([done, existsSync(legacy), existsSync(waiting)]).toEqual([2, false, false]);
    await home.undo(run.id);
    expect(existsSync(join(legacy, 'old', 'HEAD'))).toBe(true);
    expect(existsSync(join(waiting, 'HEAD'))).toBe(true);
  });

  it('are counted with what projects share', async () => {
    const { home, take } = await boundsScene();
    const content = noise('both', 100_000);
    await take('p', content);
    await take('q', content);
    const { projects, sharedBytes, sizeBytes, indexBytes, problems } = await home.checkpoints.status();
    expect(projects.map(({ checkpoints, place }) => ({ checkpoints, place }))).toEqual([
      { checkpoints: 1, place: 'present' },
      { checkpoints: 1, place: 'present' },
    ]);
    expect(sharedBytes).toBeGreaterThan(50_000);
    expect(indexBytes).toBeGreaterThan(0);
    expect(projects.every(({ ownBytes }) => ownBytes < 50_000)).toBe(true);
    expect(sizeBytes).toBeGreaterThan(sharedBytes);
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!CAN_MOUNT)('a project on a volume', () => {
  it('is out of reach while the volume is not mounted, whatever the empty folder shows, and its checkpoints stay', async () => {
    const { dir, home, clock } = await boundsScene();
    const volume = join(dir, 'volume');
    const mounts = { whole: join(dir, 'mnt', 'whole'), above: join(dir, 'mnt', 'above') };
    for (const path of [join(volume, 'project'), ...Object.values(mounts)]) mkdirSync(path, { recursive: true });
    const mount = (at: string) => execFileSync('mount', ['--bind', volume, at]);
    const unmount = (at: string) => execFileSync('umount', [at]);
    for (const at of Object.values(mounts)) {
      mount(at);
      writeFileSync(join(at, 'project', 'file'), at);
      takenOf(await home.checkpoints.take({ workdir: join(at, 'project') }));
      unmount(at);
    }
    // Files in the empty mount point are no evidence: it is not the folder that was seen.
    writeFileSync(join(mounts.above, 'underlay'), '');
    clock.advance(40 * DAY_MS);
    const { projects } = await home.checkpoints.status();
    expect(projects.map(({ place }) => place)).toEqual(['unreachable', 'unreachable']);
    await home.checkpoints.settled();
    expect(await home.checkpoints.prune({ keepOrphans: false })).toBeUndefined();
    mount(mounts.whole);
    onTestFinished(() => void unmount(mounts.whole));
    expect((await home.checkpoints.status()).projects.map(({ place }) => place).toSorted()).toEqual([
      'present',
      'unreachable',
    ]);
  });
});
