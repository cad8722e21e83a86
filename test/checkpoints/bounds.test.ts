import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { keptIndex } from '../../src/checkpoints/index-cache.ts';
import { storeLayout } from '../../src/checkpoints/store-layout.ts';
import { readStoreSize } from '../../src/checkpoints/store-size.ts';
import type { Checkpoint } from '../../src/core/checkpoint.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import { createSharedLock } from '../../src/store/sqlite/sqlite-shared-lock.ts';
import { noise } from '../support/checkpoint-bounds.ts';
import { takenOf } from '../support/checkpoint-store.ts';
import { type ManualClock, manualClock } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { CAN_MOUNT } from '../support/small-disk.ts';
import { tempDir } from '../support/temp-dir.ts';

const MB = 1024 * 1024;

interface Scene {
  readonly dir: string;
  readonly home: Home;
  readonly clock: ManualClock;
  /** Changes a file of a project and takes a checkpoint of it. */
  readonly take: (project: string, content: string) => Promise<Checkpoint>;
  /** Takes, and waits for what that brings about. */
  readonly takeAndSettle: (project: string, content: string) => Promise<void>;
}

async function scene(settings: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const dir = tempDir();
  const clock = manualClock();
  const home = await openHome({
    path: join(dir, 'home'),
    clock,
    env: {},
    settings: Object.entries({ 'disk.ballast_mb': 'never', ...settings }).map(([key, value]) => ({ key, value })),
  });
  onTestFinished(() => home.close());
  const take = async (project: string, content: string) => {
    const workdir = join(dir, 'work', project);
    mkdirSync(workdir, { recursive: true });
    writeFileSync(join(workdir, 'file'), content);
    writeFileSync(join(workdir, 'readme'), 'the same for ever');
    clock.advance(MINUTE_MS);
    return takenOf(await home.checkpoints.take({ workdir, reason: content.slice(0, 20) }));
  };
  const takeAndSettle = async (project: string, content: string) => {
    letTimePass(home);
    await take(project, content);
    await home.checkpoints.settled();
  };
  return { dir, home, clock, take, takeAndSettle };
}

/** Objects are as old as the file system says, whatever the clock of a test says. */
function letTimePass(home: Home): void {
  const { objects } = storeLayout(join(home.path, 'checkpoints'));
  const then = (Date.now() - 2 * HOUR_MS) / 1000;
  for (const name of existsSync(objects) ? readdirSync(objects) : []) {
    if (!/^[0-9a-f]{2}$/.test(name)) continue;
    for (const file of readdirSync(join(objects, name))) utimesSync(join(objects, name, file), then, then);
  }
}

const idsOf = async (home: Home) => (await home.checkpoints.list()).map(({ id }) => id).toSorted();

describe('the checkpoints of a home', () => {
  it('stay under their cap, within one checkpoint, through a month of heavy use', async () => {
    const { home, clock, takeAndSettle } = await scene({
      'checkpoints.max_total_size_mb': '1',
      'checkpoints.max_snapshots': '1000',
    });
    const layout = storeLayout(join(home.path, 'checkpoints'));
    const eachBytes = 80_000;
    let least = Infinity;
    for (let turn = 0; turn < 40; turn += 1) {
      clock.advance(18 * HOUR_MS);
      await takeAndSettle(`p${turn % 3}`, noise(`turn ${turn}`, eachBytes));
      const { diskBytes, indexBytes } = await readStoreSize(layout);
      expect(diskBytes + indexBytes).toBeLessThan(MB + eachBytes);
      if (turn > 25) least = Math.min(least, diskBytes);
    }
    // It is used to the full, not emptied whenever it is exceeded.
    expect(least).toBeGreaterThan(0.75 * MB);
    expect((await home.checkpoints.projects()).length).toBe(3);
    expect((await home.checkpoints.verify()).problems).toEqual([]);
  }, 120_000);

  it('stay where the cache beside them is what exceeds the cap, and the part of it that was used least goes', async () => {
    const { home, takeAndSettle } = await scene({ 'checkpoints.max_total_size_mb': '1' });
    const layout = storeLayout(join(home.path, 'checkpoints'));
    const projects = ['p', 'q', 'r'];
    for (const project of projects) await takeAndSettle(project, noise(project, 30_000));
    const kept = (await home.checkpoints.list()).map(({ projectId }) => keptIndex(layout, projectId)).toReversed();
    for (const path of kept) writeFileSync(path, noise(path, 400_000));
    expect((await home.checkpoints.status()).reclaimable.items).toBe(0);
    expect(await home.checkpoints.prune()).toBeUndefined();
    expect((await home.checkpoints.keepBounded()).status).toBe('within');
    expect(kept.map((path) => existsSync(path))).toEqual([false, true, true]);
    expect(await idsOf(home)).toHaveLength(3);
  });

  it('of twelve identical folders take hardly more than those of one', async () => {
    const { home, takeAndSettle } = await scene();
    const bytes = () =>
      Number(
        execFileSync('du', ['-sk', join(home.path, 'checkpoints')])
          .toString()
          .split('\t', 1),
      );
    const content = noise('twelve', 9 * MB);
    await takeAndSettle('p0', content);
    const one = bytes();
    for (let folder = 1; folder < 12; folder += 1) await takeAndSettle(`p${folder}`, content);
    expect(bytes() / one).toBeLessThan(1.05);
    expect((await home.checkpoints.status()).indexBytes).toBeGreaterThan(0);
  }, 60_000);

  it('are held at max_snapshots by runs that can be undone', async () => {
    const { home, takeAndSettle } = await scene({ 'checkpoints.max_snapshots': '4' });
    for (let turn = 0; turn < 6; turn += 1) await takeAndSettle('p', `turn ${turn}`);
    expect(await idsOf(home)).toHaveLength(4);
    const [run] = await collect((await home.retention()).runs());
    expect(run?.request.kind).toBe('checkpoints');
    const { done } = await home.undo(run?.id ?? '');
    expect(done).toBe(2);
    expect(await idsOf(home)).toHaveLength(6);
    expect((await home.checkpoints.verify()).problems).toEqual([]);
  });

  it('never lose what a restore went back to, although its safety checkpoint is one too many', async () => {
    const { home, clock, takeAndSettle } = await scene({ 'checkpoints.max_snapshots': '2' });
    for (const content of ['first', 'second']) await takeAndSettle('p', content);
    const [newest, oldest] = await home.checkpoints.list();
    const { safety } = await home.checkpoints.restore(oldest?.id ?? '');
    expect(safety.id).toBe(newest?.id);
    for (const content of ['third', 'fourth', 'fifth']) await takeAndSettle('p', content);
    clock.advance(MINUTE_MS);
    await home.checkpoints.keepBounded();
    expect(await idsOf(home)).toEqual(expect.arrayContaining([oldest?.id, safety.id]));
  });

  it('age at the interval of their own, from a stamp that may be damaged or in the future', async () => {
    const { home, clock, takeAndSettle } = await scene({ 'checkpoints.retention_days': '3' });
    await takeAndSettle('p', 'first');
    await takeAndSettle('p', 'second');
    clock.advance(4 * DAY_MS);
    await takeAndSettle('p', 'third');
    expect(await idsOf(home)).toHaveLength(1);
    for (const stamp of ['{', '{"lastAt":9e15}', 'null']) {
      await takeAndSettle('p', `before ${stamp}`);
      clock.advance(4 * DAY_MS);
      await setMeta(home, 'checkpoints-pass', stamp);
      await takeAndSettle('p', `after ${stamp}`);
      expect(await idsOf(home)).toHaveLength(1);
    }
  });

  it('are left alone where auto_prune is off', async () => {
    const { home, take } = await scene({ 'checkpoints.max_snapshots': '1', 'checkpoints.auto_prune': 'false' });
    for (let turn = 0; turn < 4; turn += 1) await take('p', `turn ${turn}`);
    expect(await home.checkpoints.keepBounded()).toEqual({ status: 'off' });
    expect(await idsOf(home)).toHaveLength(4);
  });

  it('of a folder that is gone stay until a person prunes, and come back with an undo', async () => {
    const { dir, home, clock, take } = await scene();
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
    const { home, take } = await scene();
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
    const { home, take } = await scene();
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
    const { home, clock, take } = await scene();
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
    const { home, take } = await scene();
    for (const name of ['a', 'b']) await take('p', name);
    await home.checkpoints.settled();
    const { run } = await home.apply(await home.plan({ kind: 'clear-checkpoints' }));
    rmSync(join(home.path, 'checkpoints'), { recursive: true });
    expect(await home.undo(run.id)).toMatchObject({ done: 0, skipped: 2 });
    expect(await (await home.retention()).emptyTrash(run.id)).toMatchObject({ items: 2, skipped: 0 });
    expect((await home.plan()).decisions.filter(({ action }) => action !== 'keep')).toEqual([]);
  });

  it('that cannot be read are a problem, and no obstacle to looking after sessions', async () => {
    const { home, take } = await scene();
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
    const { home, take } = await scene({ 'checkpoints.max_snapshots': '2', 'checkpoints.auto_prune': 'true' });
    for (const name of ['a', 'b']) await take('p', name);
    await home.checkpoints.settled();
    using _other = await createSharedLock(join(home.path, 'checkpoints', 'pass.db')).alone(0);
    await take('p', 'c');
    await home.checkpoints.settled();
    expect(await home.checkpoints.keepBounded()).toEqual({ status: 'busy' });
    expect(await idsOf(home)).toHaveLength(3);
  });

  it('in layouts of before are removed by a person alone, and come back with an undo', async () => {
    const { home, take } = await scene();
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
    const { home, take } = await scene();
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

async function setMeta(home: Home, key: string, value: string): Promise<void> {
  const { default: BetterSqlite3 } = await import('better-sqlite3');
  const db = new BetterSqlite3(join(home.path, 'state.db'));
  db.prepare('UPDATE meta SET value = ? WHERE key = ?').run(value, key);
  db.close();
}

describe.skipIf(!CAN_MOUNT)('a project on a volume', () => {
  it('is out of reach while the volume is not mounted, whatever the empty folder shows, and its checkpoints stay', async () => {
    const { dir, home, clock } = await scene();
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
