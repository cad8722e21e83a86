import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { HOUR_MS } from '../../src/core/time.ts';
import { openHome } from '../../src/index.ts';
import { manualClock } from '../support/clock.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { addV1Checkpoints, addV2Checkpoints, projectHash } from '../support/hermes-checkpoints.ts';
import { jsonOn, runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW } from '../support/hermes-home.ts';

type Layout = 'v1' | 'v2';

let root: string;
let home: string;
beforeEach(() => {
  root = tempDirInMemory();
  home = join(root, 'hermes');
  buildHermesHome(home, {});
});

const workdirOf = (name: string) => join(root, 'work', name);

/** Folders of which Hermes noted nothing but the name: all of the older layout, and many pages of the newer. */
function build(layout: Layout, names: readonly string[]): void {
  for (const name of names) {
    const project = { workdir: workdirOf(name), reasons: ['one', 'two'], firstAt: HERMES_NOW - HERMES_DAY };
    (layout === 'v1' ? addV1Checkpoints : addV2Checkpoints)(join(home, 'checkpoints'), project);
    const page = join(home, 'checkpoints/store/projects', `${projectHash(project.workdir)}.json`);
    if (layout === 'v2') writeFileSync(page, JSON.stringify({ workdir: project.workdir }));
  }
}

const remove = (name: string) => rmSync(workdirOf(name), { recursive: true });

interface Status {
  readonly projects: readonly { readonly workdir: string; readonly place: string }[];
}

const places = async () =>
  Object.fromEntries(
    (await jsonOn<Status>(home, ['checkpoints', 'status'])).projects.map(({ workdir, place }) => [
      workdir.slice(workdirOf('').length + 1),
      place,
    ]),
  );

/** Everything in every repository, by name. Throws where something is missing. */
function historyOf(layout: Layout, name: string): string {
  const hash = projectHash(workdirOf(name));
  const gitDir = join(home, 'checkpoints', layout === 'v1' ? hash : 'store');
  const env = { ...process.env, GIT_DIR: gitDir, GIT_WORK_TREE: gitDir };
  const git = (...args: string[]) => execFileSync('git', args, { env, encoding: 'utf8' });
  git('fsck', '--connectivity-only');
  return git('log', '--format=%H %T %s', layout === 'v1' ? 'HEAD' : `refs/hermes/${hash}`);
}

async function open() {
  const clock = manualClock(HERMES_NOW);
  const opened = await openHome({ path: home, clock, env: {} });
  onTestFinished(() => opened.close());
  return { opened, clock };
}

describe.each(['v1', 'v2'] as const)('checkpoints in layout %s of folders that cannot be found', (layout) => {
  it('stay by themselves, and every way to clear them says what does it', async () => {
    build(layout, ['a', 'b', 'there']);
    for (const name of ['a', 'b']) remove(name);
    expect(await places()).toEqual({ a: 'unreachable', b: 'unreachable', there: 'present' });
    expect((await runOn(home, ['checkpoints', 'status'])).out).toContain('2 folders cannot be found.');
    for (const args of [['prune'], ['clear'], ['clear-legacy']]) {
      const { out } = await runOn(home, ['checkpoints', ...args, '--yes']);
      expect(out).toContain(`coppice checkpoints prune --unreachable --home ${home}`);
      expect(out).not.toMatch(/create/);
    }
    expect(Object.keys(await places()).toSorted()).toEqual(['a', 'b']);
  });

  it('go into the trash when a person says that a folder is gone, and come back', async () => {
    build(layout, ['a', 'a/below', 'ab', 'there']);
    for (const name of ['a', 'ab']) remove(name);
    const before = historyOf(layout, 'a');
    const there = await runOn(home, ['checkpoints', 'prune', '--gone', workdirOf('there'), '--yes']);
    expect(there).toMatchObject({ code: 5, err: expect.stringContaining('so it is not gone') as string });
    const unknown = await runOn(home, ['checkpoints', 'prune', '--gone', workdirOf('c'), '--yes']);
    expect(unknown).toMatchObject({ code: 10, err: expect.stringContaining('There are no checkpoints of') as string });
    expect((await runOn(home, ['checkpoints', 'prune', '--gone', workdirOf('a'), '--yes'])).code).toBe(0);
    expect(await places()).toEqual({ ab: 'unreachable', there: 'present' });
    expect((await runOn(home, ['undo', '--yes'])).code).toBe(0);
    expect(historyOf(layout, 'a')).toBe(before);
    expect(Object.keys(await places())).toHaveLength(4);
  });

  it('all go when a person says so of all of them, and those that are there stay', async () => {
    build(layout, ['a', 'b', 'there']);
    for (const name of ['a', 'b']) remove(name);
    const before = ['a', 'b'].map((name) => historyOf(layout, name));
    const asked = await runOn(home, ['checkpoints', 'prune', '--unreachable']);
    expect(asked.code).toBe(5);
    expect((await runOn(home, ['checkpoints', 'prune', '--unreachable', '--yes'])).code).toBe(0);
    expect(await places()).toEqual({ there: 'present' });
    expect((await runOn(home, ['undo', '--yes'])).code).toBe(0);
    expect(['a', 'b'].map((name) => historyOf(layout, name))).toEqual(before);
  });

  it('stay when the folder is there again by the time that a plan is carried out', async () => {
    build(layout, ['a', 'b']);
    for (const name of ['a', 'b']) remove(name);
    const { opened } = await open();
    const plan = await opened.plan({ kind: 'clear-checkpoints', unreachable: true });
    mkdirSync(workdirOf('a'), { recursive: true });
    expect(await opened.apply(plan)).toMatchObject({ done: 2, skipped: 2 });
    expect(await places()).toEqual({ a: 'present' });
  });

  it('go unattended after a second look, a day after the first, and come back with an undo', async () => {
    build(layout, ['a', 'b', 'there']);
    remove('a');
    const { opened, clock } = await open();
    const passAfter = async (ms: number) => {
      clock.advance(ms);
      await opened.maintainInBackground();
      return Object.keys(await places()).toSorted();
    };
    expect(await passAfter(0)).toEqual(['a', 'b', 'there']);
    remove('b');
    expect(await passAfter(HERMES_DAY)).toEqual(['b', 'there']);
    // It was moved away, and is back when the next pass looks: that pass forgets what the one before saw.
    mkdirSync(workdirOf('b'));
    expect(await passAfter(HERMES_DAY)).toEqual(['b', 'there']);
    remove('b');
    expect(await passAfter(HERMES_DAY)).toEqual(['b', 'there']);
    expect(await passAfter(HERMES_DAY)).toEqual(['there']);
    expect((await runOn(home, ['undo', '--yes'])).code).toBe(0);
    expect(historyOf(layout, 'b')).toContain('two');
  });

  it('stay for ever unattended while what held them is away, empty or another one', async () => {
    build(layout, ['volume/a', 'there']);
    const { opened, clock } = await open();
    const pass = async () => {
      clock.advance(HERMES_DAY + HOUR_MS);
      await opened.maintainInBackground();
    };
    await pass();
    const volume = workdirOf('volume');
    renameSync(volume, join(root, 'away'));
    for (let day = 0; day < 3; day += 1) await pass();
    mkdirSync(volume);
    for (let day = 0; day < 3; day += 1) await pass();
    writeFileSync(join(volume, 'underlay'), '');
    for (let day = 0; day < 3; day += 1) await pass();
    expect(await places()).toMatchObject({ 'volume/a': 'unreachable' });
    rmSync(volume, { recursive: true });
    renameSync(join(root, 'away'), volume);
    expect(await places()).toMatchObject({ 'volume/a': 'present' });
  });
});

describe('a Hermes home without checkpoints', () => {
  it('is left without a trace by a pass', async () => {
    const { opened } = await open();
    expect(await opened.maintainInBackground()).toEqual({ status: 'off', checkpoints: { status: 'within' } });
    expect(existsSync(join(home, '.coppice'))).toBe(false);
  });
});
