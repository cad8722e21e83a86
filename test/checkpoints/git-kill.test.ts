import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { storeLayout, TRASH } from '../../src/checkpoints/store/store-layout.ts';
import { readRefs } from '../../src/checkpoints/store/store-refs.ts';
import { campaignSize, spread } from '../support/campaign.ts';
import { collect } from '../support/collect.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { countedCalls, countingGit, type GitDeath, killingGit } from '../support/killing-git.ts';
import { unknownFiles } from '../support/known-files.ts';
import { STRACE_WORKS } from '../support/strace.ts';

const WORKER = fileURLToPath(new URL('../support/checkpoint-command.js', import.meta.url));
const SETTINGS = [
  { key: 'disk.ballast_mb', value: 'never' },
  { key: 'checkpoints.auto_prune', value: 'false' },
];
/** The calls by which `git update-ref` changes refs: each leaves something else behind when it is the last. */
const CALLS = ['write', 'fsync', 'rename', 'unlink'];
const POINTS = campaignSize({ usual: 8, torture: 1000 });

interface Scene {
  readonly root: string;
  readonly home: string;
  readonly workdir: string;
  readonly ids: readonly string[];
  /** A run that pruned, and can be undone. */
  readonly runId: string;
}

interface Point extends GitDeath {
  readonly what: string;
}

describe.skipIf(!STRACE_WORKS)('a git that is killed while it changes refs', () => {
  it('leaves nothing that stands in anybody’s way, alone or with the process that started it', async () => {
    const scene = await makeScene(tempDirInMemory());
    const points = allPoints(scene);
    expect(points.length).toBeGreaterThan(40);
    let died = 0;
    for (const at of spread(points.length, POINTS)) {
      const point = points[at - 1];
      if (point === undefined) throw new Error('there is no such point');
      const { signal } = act(scene, point.what, killingGit(join(scene.root, 'bin'), point));
      died += signal === 'SIGKILL' ? 1 : 0;
      await expectAllWell(scene, `${point.what} ${point.call} ${point.when} ${point.who}`);
    }
    expect(died).toBeGreaterThan(0);
  }, 600_000);

  it('in a prune leaves each checkpoint listed or in the trash, and none in the trash of nobody', async () => {
    const scene = await makeScene(tempDirInMemory());
    // Two of four lines are carried out: both checkpoints are in the trash, and none has left the list.
    for (const who of ['both', 'git'] as const) {
      act(scene, 'prune', killingGit(join(scene.root, 'bin'), { command: 'update-ref', call: 'unlink', when: 1, who }));
      await using home = await open(scene);
      const listed = (await home.checkpoints.list()).map(({ id }) => id);
      const trashed = await trashedIds(scene);
      expect(
        listed.filter((id) => trashed.includes(id)),
        who,
      ).toEqual([]);
      expect(new Set([...listed, ...trashed]), who).toEqual(new Set(scene.ids));
      await emptyAll(home);
      expect(await trashedIds(scene), who).toEqual([]);
    }
  }, 120_000);
});

async function makeScene(root: string): Promise<Scene> {
  const [template, workdir] = [join(root, 'template'), join(root, 'work')];
  mkdirSync(workdir);
  await using home = await openHome({ path: template, env: {}, settings: SETTINGS });
  const session = await home.sessions.create({ source: 'cli' });
  await session.append({ role: 'user', content: 'kept' });
  await session.end('done');
  const ids: string[] = [];
  for (const content of ['one', 'two', 'three', 'four', 'five']) {
    writeFileSync(join(workdir, 'file'), content);
    const taken = await home.checkpoints.take({ workdir });
    if (taken.status !== 'taken') throw new Error('nothing was taken');
    ids.push(taken.checkpoint.id);
  }
  const pruned = await home.checkpoints.prune({ maxSnapshots: 3 });
  if (pruned === undefined) throw new Error('nothing was pruned');
  return { root, home: join(root, 'home'), workdir, ids, runId: pruned.run.id };
}

/** Every death of every command, in an order in which neighbours are alike. */
function allPoints(scene: Scene): Point[] {
  const bin = join(scene.root, 'bin');
  return ['restore', 'prune', 'undo', 'empty', 'pin', 'take'].flatMap((what) => {
    expect(act(scene, what, countingGit(bin, 'update-ref', CALLS)).status, what).toBe(0);
    const counts = countedCalls(bin, CALLS);
    return CALLS.flatMap((call) =>
      Array.from({ length: counts.get(call) ?? 0 }, (_, index) =>
        (['both', 'git'] as const).map((who) => ({ what, command: 'update-ref', call, when: index + 1, who })),
      ).flat(),
    );
  });
}

/** One command in a home as it was at first, with this `git` before all others. */
function act({ root, home, workdir, ids, runId }: Scene, what: string, bin: string) {
  rmSync(home, { recursive: true, force: true });
  cpSync(join(root, 'template'), home, { recursive: true });
  writeFileSync(join(workdir, 'file'), 'changed');
  const target = { undo: runId, empty: runId, take: workdir }[what] ?? ids.at(-1) ?? '';
  const env = { ...process.env, UV_USE_IO_URING: '0', PATH: `${bin}:${process.env['PATH']}` };
  return spawnSync(process.execPath, [WORKER, home, what, target], { env, encoding: 'utf8' });
}

function open({ home }: Scene): Promise<Home> {
  return openHome({ path: home, env: {}, settings: SETTINGS });
}

/** Whatever a person types next works, and in the end no file is there that nobody knows. */
async function expectAllWell(scene: Scene, point: string): Promise<void> {
  await using home = await open(scene);
  const retention = await home.retention();
  const listed = (await home.checkpoints.list()).map(({ id }) => id);
  const trashed = await trashedIds(scene);
  expect(
    listed.filter((id) => trashed.includes(id)),
    point,
  ).toEqual([]);
  expect([...listed, ...trashed], point).toEqual(expect.arrayContaining(listed));
  await retention.settle();
  expect((await home.checkpoints.verify()).problems, point).toEqual([]);
  expect(await retention.maintain({ now: true }), point).toMatchObject({ status: 'done' });
  const [newest] = await home.checkpoints.list();
  expect(await home.checkpoints.restore(newest?.id ?? ''), point).toMatchObject({ skipped: 0 });
  await home.checkpoints.pin(newest?.id ?? '');
  await home.checkpoints.prune({ maxSnapshots: 1 });
  expect(await problemsOf(home), point).toEqual([]);
  await emptyAll(home);
  expect(await trashedIds(scene), point).toEqual([]);
  expect(unknownFiles(scene.home), point).toEqual([]);
  expect(readdirSync(scene.workdir), point).toEqual(['file']);
  expect(readFileSync(join(scene.workdir, 'file'), 'utf8'), point).not.toBe('');
}

async function problemsOf(home: Home): Promise<string[]> {
  const checks = await collect(home.check());
  return checks.flatMap(({ problems }) => problems.map(({ kind, message }) => `${kind}: ${message}`));
}

async function emptyAll(home: Home): Promise<void> {
  const retention = await home.retention();
  for (const { id } of await collect(retention.runs())) {
    expect((await retention.emptyTrash(id)).skipped).toBe(0);
  }
}

async function trashedIds({ home }: Scene): Promise<string[]> {
  return [...(await readRefs(storeLayout(join(home, 'checkpoints')), TRASH)).values()];
}
