import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import {
  addV1Checkpoints,
  addV2Checkpoints,
  projectHash,
  pruneV2,
  takeV1,
  takeV2,
} from '../support/hermes-checkpoints.ts';
import { jsonOn, runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW, type HermesHomeSpec } from '../support/hermes-home.ts';
import { treeState } from '../support/hermes-tree.ts';

type Layout = 'v1' | 'v2';

let root: string;
let home: string;
let workdir: string;
beforeEach(() => {
  root = tempDirInMemory();
  home = join(root, 'hermes');
  workdir = join(root, 'work');
});

const REASONS = ['one', 'two', 'three', 'four', 'five'];

function build(layout: Layout, spec: HermesHomeSpec = {}): void {
  buildHermesHome(home, spec);
  const project = { workdir, reasons: REASONS, firstAt: HERMES_NOW - HERMES_DAY };
  (layout === 'v1' ? addV1Checkpoints : addV2Checkpoints)(join(home, 'checkpoints'), project);
}

const take = (layout: Layout, reason: string) => {
  writeFileSync(join(workdir, 'work.txt'), `${reason}\n`);
  (layout === 'v1' ? takeV1 : takeV2)(join(home, 'checkpoints'), { workdir, reason, at: HERMES_NOW - 60_000 });
};

const gitDir = (layout: Layout) => join(home, 'checkpoints', layout === 'v1' ? projectHash(workdir) : 'store');

function git(layout: Layout, ...args: string[]): string {
  const env = { ...process.env, GIT_DIR: gitDir(layout), GIT_WORK_TREE: gitDir(layout) };
  return execFileSync('git', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** The history as Hermes sees it, newest first, with every file readable. Throws where anything is missing. */
function history(layout: Layout): string[] {
  git(layout, 'rev-list', '--objects', '--all');
  git(layout, 'fsck', '--connectivity-only');
  const ref = layout === 'v1' ? 'HEAD' : `refs/hermes/${projectHash(workdir)}`;
  const lines = git(layout, 'log', '--format=%H %T %s', ref).split('\n');
  for (const line of lines) git(layout, 'ls-tree', '-r', line.slice(0, 40));
  return lines;
}

/** Makes everything older than any grace. */
function age(layout: Layout): void {
  const dir = gitDir(layout);
  const hours = Date.now() / 1000 - 7200;
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) utimesSync(join(dir, name), hours, hours);
}

interface Applied {
  readonly done: number;
  readonly skipped: number;
  readonly run: { readonly id: string };
}

const prune = (...args: string[]) => jsonOn<Applied>(home, ['checkpoints', 'prune', '--yes', ...args]);
const undo = (...args: string[]) => runOn(home, ['undo', ...args, '--yes']);

describe.each(['v1', 'v2'] as const)('the checkpoints of Hermes in layout %s', (layout) => {
  it('are cut at their old end, keep their names, and come back by an undo that Hermes may prune before', async () => {
    build(layout);
    const before = history(layout);
    age(layout);
    await prune('--max-snapshots', '2');
    expect(history(layout)).toEqual(before.slice(0, 2));
    expect(() => git(layout, 'cat-file', '-e', before[4]?.slice(0, 40) ?? '')).toThrow();
    git(layout, 'gc', '-q', '--prune=now');
    expect(history(layout)).toEqual(before.slice(0, 2));
    expect((await undo()).code).toBe(0);
    expect(history(layout)).toEqual(before);
    expect(existsSync(join(gitDir(layout), 'shallow'))).toBe(false);
    git(layout, 'gc', '-q', '--prune=now');
    expect(history(layout)).toEqual(before);
  });

  it('can be taken, cut again and brought back in between, last run first', async () => {
    build(layout);
    const before = history(layout);
    const first = await prune('--max-snapshots', '4');
    take(layout, 'six');
    const second = await prune('--max-snapshots', '3');
    expect(history(layout)).toHaveLength(3);
    const early = await undo(first.run.id);
    expect({ code: early.code, out: early.out + early.err }).toMatchObject({
      code: 3,
      out: expect.stringContaining('undo later runs first') as string,
    });
    expect((await undo(second.run.id)).code).toBe(0);
    expect((await undo(first.run.id)).code).toBe(0);
    expect(history(layout).slice(1)).toEqual(before);
  });

  it('all go when a person clears them, with what Hermes noted, and come back', async () => {
    build(layout);
    const before = history(layout);
    const page = join(gitDir(layout), layout === 'v1' ? 'HERMES_WORKDIR' : `projects/${projectHash(workdir)}.json`);
    expect((await runOn(home, ['checkpoints', 'clear', '--yes'])).code).toBe(0);
    expect((await runOn(home, ['checkpoints', 'list', '--all'])).out).toContain('Hermes has no checkpoints');
    expect(existsSync(page)).toBe(false);
    expect((await undo()).code).toBe(0);
    expect(history(layout)).toEqual(before);
    expect(existsSync(page)).toBe(true);
    take(layout, 'six');
    expect(history(layout).slice(1)).toEqual(before);
  });

  it('of a folder that a session is at work in are not cleared, and its newest stays whatever the limit', async () => {
    build(layout, {
      sessions: [{ id: 'live', end: 'open', startedAt: HERMES_NOW - 60_000, messages: ['hello'], cwd: workdir }],
    });
    await runOn(home, ['checkpoints', 'clear', '--yes']);
    expect(history(layout)).toHaveLength(5);
    for (const reason of ['six', 'seven', 'eight']) {
      writeFileSync(join(workdir, 'large.bin'), randomBytes(600_000));
      take(layout, reason);
    }
    await prune('--max-size-mb', '1');
    expect(history(layout).map((line) => line.split(' ').at(-1))).toEqual(['eight']);
  });

  it('are gone for good once the trash is emptied, and nothing of them is left in it', async () => {
    build(layout);
    const { run } = await prune('--max-snapshots', '2');
    expect((await runOn(home, ['trash', 'empty', run.id, '--yes'])).code).toBe(0);
    const companion = join(home, '.coppice/checkpoints/store');
    const refs = execFileSync('git', ['--git-dir', companion, 'for-each-ref'], { encoding: 'utf8' });
    expect(refs).toBe('');
    expect(existsSync(join(companion, 'shallow'))).toBe(false);
    expect(history(layout)).toHaveLength(2);
  });

  it('that have lost content are a problem and stay', async () => {
    build(layout);
    const ref = layout === 'v1' ? 'HEAD' : `refs/hermes/${projectHash(workdir)}`;
    const blob = git(layout, 'rev-parse', `${ref}~4:work.txt`);
    rmSync(join(gitDir(layout), 'objects', blob.slice(0, 2), blob.slice(2)));
    await prune('--max-snapshots', '2');
    expect(git(layout, 'rev-list', '--count', ref)).toBe('5');
    expect((await runOn(home, ['checkpoints', 'status'])).out).toContain('are missing');
  });
});

describe('the store that Hermes projects share', () => {
  it('keeps what only an index of Hermes names: the next snapshot believes that it is there', async () => {
    build('v2');
    writeFileSync(join(workdir, 'staged.txt'), 'staged\n');
    const index = join(gitDir('v2'), 'indexes', projectHash(workdir));
    const env = { ...process.env, GIT_DIR: gitDir('v2'), GIT_WORK_TREE: workdir, GIT_INDEX_FILE: index };
    execFileSync('git', ['add', '-A'], { env });
    age('v2');
    await prune('--max-snapshots', '2');
    execFileSync('git', ['add', '-A'], { env });
    expect(execFileSync('git', ['write-tree'], { env, encoding: 'utf8' })).toMatch(/^[0-9a-f]{40}\n$/);
  });

  it('is left as Hermes made it when Hermes wrote the history anew since', async () => {
    build('v2');
    await prune('--max-snapshots', '4');
    pruneV2(join(home, 'checkpoints'), workdir, 2);
    const before = history('v2');
    expect((await undo()).code).toBe(3);
    expect(history('v2')).toEqual(before);
  });

  it('lets go of a folder that is gone only on evidence, and of no other', async () => {
    build('v2');
    const other = { workdir: join(root, 'other'), reasons: ['a'], firstAt: HERMES_NOW - HERMES_DAY };
    addV2Checkpoints(join(home, 'checkpoints'), other);
    const pages = join(home, 'checkpoints/store/projects');
    const strange = { workdir: join(root, 'strange'), reasons: ['b'], firstAt: HERMES_NOW - HERMES_DAY };
    addV2Checkpoints(join(home, 'checkpoints'), strange);
    writeFileSync(join(pages, `${projectHash(strange.workdir)}.json`), JSON.stringify({ workdir: strange.workdir }));
    for (const dir of [other.workdir, strange.workdir]) rmSync(dir, { recursive: true });
    const places = async () =>
      (await jsonOn<{ projects: { workdir: string; place: string }[] }>(home, ['checkpoints', 'status'])).projects.map(
        (project) => `${project.place} ${project.workdir}`,
      );
    const rest = [`present ${workdir}`, `unreachable ${strange.workdir}`];
    expect((await places()).toSorted()).toEqual([`gone ${other.workdir}`, ...rest]);
    await runOn(home, ['checkpoints', 'prune', '--keep-orphans', '--yes']);
    expect(await places()).toHaveLength(3);
    await prune();
    expect((await places()).toSorted()).toEqual(rest);
    expect((await undo()).code).toBe(0);
    expect(await places()).toHaveLength(3);
  });
});

describe('layouts of before', () => {
  it('go as they are and come back as they were', async () => {
    build('v2');
    const aside = join(home, 'checkpoints/legacy-20260506-120000');
    const old = { workdir: join(root, 'old'), reasons: ['a', 'b'], firstAt: HERMES_NOW - HERMES_DAY };
    addV1Checkpoints(join(home, 'checkpoints'), old);
    mkdirSync(aside);
    renameSync(join(home, 'checkpoints', projectHash(old.workdir)), join(aside, projectHash(old.workdir)));
    const left = { workdir: join(root, 'left'), reasons: ['c'], firstAt: HERMES_NOW - HERMES_DAY };
    addV1Checkpoints(join(home, 'checkpoints'), left);
    const before = treeState(join(home, 'checkpoints')).slice(1);
    expect((await runOn(home, ['checkpoints', 'status'])).out).toContain('clear-legacy');
    expect((await runOn(home, ['checkpoints', 'clear-legacy', '--yes'])).code).toBe(0);
    expect(readdirSync(join(home, 'checkpoints'))).toEqual(['store']);
    expect(history('v2')).toHaveLength(5);
    expect((await undo()).code).toBe(0);
    expect(treeState(join(home, 'checkpoints')).slice(1)).toEqual(before);
  });

  it('are none while there is no store: then Hermes uses them', async () => {
    build('v1');
    await runOn(home, ['checkpoints', 'clear-legacy', '--yes']);
    expect(history('v1')).toHaveLength(5);
  });
});

describe('limits on the checkpoints of Hermes', () => {
  it('are those of its own config.yaml until the rules for the home say otherwise', async () => {
    build('v2', { files: { 'config.yaml': 'checkpoints:\n  max_snapshots: 3\n  max_total_size_mb: 0\n' } });
    await prune();
    expect(history('v2')).toHaveLength(3);
    await runOn(home, ['checkpoints', 'prune', '--yes', '--set', 'checkpoints.max_snapshots=2']);
    expect(history('v2')).toHaveLength(2);
  });

  it('are looked at without a trace', async () => {
    build('v2');
    const before = treeState(home);
    for (const args of [['status'], ['list', '--all'], ['prune', '--max-snapshots', '1', '--dry-run']]) {
      expect((await runOn(home, ['checkpoints', ...args])).code).toBe(0);
    }
    expect(treeState(home)).toEqual(before);
  });
});
