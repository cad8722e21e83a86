import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MEGABYTE, savedFiles, takenOf, testStore } from '../../../test/support/checkpoint-store.ts';
import { NOW } from '../../../test/support/clock.ts';
import { takeExactly, takeScene } from '../../../test/support/take-scene.ts';
import { runGit } from '../../platform/git/run-git.ts';
import { readSnapshots } from '../store/read-snapshots.ts';
import { keptIndex } from '../store/index-cache.ts';
import { projectIdOf } from '../store/store-layout.ts';
import { DEFAULT_EXCLUDES } from '../store/excludes.ts';
import { takeSnapshot } from './take-snapshot.ts';

function git(dir: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: dir, stdio: 'pipe' });
}

describe('takeSnapshot', () => {
  it('saves every byte of odd names, empty files, links and executable files', async () => {
    const one = await takeScene();
    one.write('empty', '');
    one.write('dir/line\nbreak "quoted" \\ back', 'a');
    one.write(Buffer.from([0x66, 0xff, 0xfe, 0x2f, 0x80]), Buffer.from([0, 1, 2, 255]));
    one.write('-rf', 'dash');
    one.write(':(glob)*', 'pathspec');
    one.write('run.sh', '#!/bin/sh\n');
    chmodSync(join(one.workdir, 'run.sh'), 0o755);
    symlinkSync('/etc/passwd', join(one.workdir, 'outside'));
    symlinkSync('nowhere', join(one.workdir, 'dangling'));
    symlinkSync('loop', join(one.workdir, 'loop'));
    symlinkSync('..', join(one.workdir, 'dir', 'up'));
    await takeExactly(one);
  });

  it('saves changes, removals and swaps between file, directory and link', async () => {
    const one = await takeScene();
    one.write('file', '1');
    one.write('folder/a', '1');
    one.write('folder/b', '2');
    one.write('linked/a', '1');
    one.write('other/a', '1');
    one.write('gone', '1');
    symlinkSync('file', join(one.workdir, 'link'));
    await takeExactly(one);
    const at = (name: string) => join(one.workdir, name);
    for (const name of ['file', 'folder', 'linked', 'gone', 'link']) rmSync(at(name), { recursive: true });
    one.write('file/inside', '2');
    one.write('folder', 'now a file');
    symlinkSync('other', at('linked'));
    one.write('link', 'now a file');
    await takeExactly(one);
    rmSync(at('linked'));
    one.write('linked/a', 'changed');
    rmSync(at('folder'));
    await takeExactly(one);
  });

  it('believes no index but the one that the last take left', async () => {
    const one = await takeScene();
    one.write('a', '1');
    await takeExactly(one);
    one.write('a', '22');
    const { layout } = one.store;
    // As a backup of the cache would be: it knows of a change that no checkpoint has.
    const indexFile = keptIndex(layout, projectIdOf(one.workdir));
    await runGit({ gitDir: layout.gitDir, workTree: one.workdir, indexFile }, ['update-index', '--add', 'a']);
    await takeExactly(one);
  });

  it('is later than the one before it, also within the same instant', async () => {
    const one = await takeScene();
    const store = { ...one.store, clock: { now: () => NOW } };
    const times: number[] = [];
    for (const content of ['1', '2', '3']) {
      one.write('a', content);
      times.push(takenOf(await takeSnapshot(store, { workdir: one.workdir })).takenAt);
    }
    expect(times).toEqual([NOW, NOW + 1, NOW + 2]);
  });

  it('takes nothing when nothing changed, and says which checkpoint holds it', async () => {
    const one = await takeScene();
    one.write('a', '1');
    const id = await takeExactly(one);
    expect(await takeSnapshot(one.store, { workdir: one.workdir })).toMatchObject({
      status: 'unchanged',
      checkpoint: { id },
    });
    utimesSync(join(one.workdir, 'a'), 1, 1);
    expect((await takeSnapshot(one.store, { workdir: one.workdir })).status).toBe('unchanged');
    one.write('a', '2');
    await takeExactly(one);
  });

  it('notices changes of the same size in quick succession', async () => {
    const one = await takeScene();
    for (let round = 0; round < 5; round += 1) {
      one.write('a', `round ${round}`);
      await takeExactly(one);
    }
  });

  it('takes one per turn and session', async () => {
    const one = await takeScene();
    one.write('a', '1');
    const turn = { workdir: one.workdir, sessionId: 's', turn: 3 };
    const { id } = takenOf(await takeSnapshot(one.store, turn));
    one.write('a', '2');
    expect(await takeSnapshot(one.store, turn)).toMatchObject({ status: 'unchanged', checkpoint: { id } });
    takenOf(await takeSnapshot(one.store, { ...turn, turn: 4 }));
    one.write('a', '3');
    takenOf(await takeSnapshot(one.store, { ...turn, sessionId: 'other' }));
    const { checkpoints } = await readSnapshots(one.store);
    expect(checkpoints.map(({ sessionId, turn: number }) => [sessionId, number])).toEqual([
      ['other', 3],
      ['s', 4],
      ['s', 3],
    ]);
  });

  it('leaves out what is too large, and drops what grew too large', async () => {
    const one = await takeScene();
    one.write('big', Buffer.alloc(MEGABYTE + 1));
    one.write('fits', Buffer.alloc(MEGABYTE));
    const first = await takeSnapshot(one.store, { workdir: one.workdir });
    expect(first).toMatchObject({ status: 'taken', leftOut: [{ path: 'big', why: 'too-large' }] });
    expect([...(await savedFiles(one.store, takenOf(first).id)).keys()]).toEqual(['fits']);
    const again = await takeSnapshot(one.store, { workdir: one.workdir });
    expect(again).toMatchObject({ status: 'unchanged', leftOut: [{ path: 'big', why: 'too-large' }] });
    one.write('fits', Buffer.alloc(MEGABYTE + 1));
    const { id } = takenOf(await takeSnapshot(one.store, { workdir: one.workdir }));
    expect(await savedFiles(one.store, id)).toEqual(new Map());
  });

  it('saves what is inside nested repositories, at any depth, with and without commits', async () => {
    const one = await takeScene();
    one.write('top', '1');
    one.write('inner/a', 'a');
    one.write('inner/deep/b', 'b');
    one.write('unborn/c', 'c');
    one.write('module/d', 'd');
    const at = (name: string) => join(one.workdir, name);
    git(at('inner'), 'init', '-q');
    git(at('inner/deep'), 'init', '-q');
    git(at('inner/deep'), 'add', '-A');
    git(at('inner/deep'), 'commit', '-qm', 'x');
    git(at('unborn'), 'init', '-q');
    mkdirSync(join(one.workdir, '..', 'modules'));
    git(join(one.workdir, '..'), 'init', '-q', '--bare', 'modules');
    one.write('module/.git', `gitdir: ../../modules\n`);
    await takeExactly(one);
    one.write('inner/deep/b', 'changed');
    one.write('unborn/new', 'n');
    rmSync(at('inner/a'));
    await takeExactly(one);
    expect((await takeSnapshot(one.store, { workdir: one.workdir })).status).toBe('unchanged');
  });

  it('heeds ignore files of the project also inside nested repositories', async () => {
    const one = await takeScene();
    one.write('.gitignore', '*.log\n');
    one.write('inner/a.log', 'x');
    one.write('inner/a', 'x');
    git(join(one.workdir, 'inner'), 'init', '-q');
    const { id } = takenOf(await takeSnapshot(one.store, { workdir: one.workdir }));
    expect([...(await savedFiles(one.store, id)).keys()]).toEqual(['.gitignore', 'inner/a']);
  });

  it('drops what new ignore rules leave out, and takes back what they no longer do', async () => {
    const one = await takeScene();
    const names = async () => {
      const { id } = takenOf(await takeSnapshot(one.store, { workdir: one.workdir }));
      return [...(await savedFiles(one.store, id)).keys()];
    };
    one.write('a.log', '1');
    one.write('src/a', '1');
    expect(await names()).toEqual(['a.log', 'src/a']);
    one.write('.gitignore', '*.log\n');
    one.write('a.log', '2');
    expect(await names()).toEqual(['.gitignore', 'src/a']);
    rmSync(join(one.workdir, '.gitignore'));
    expect(await names()).toEqual(['a.log', 'src/a']);
    const strict = { ...one.store, limits: { ...one.store.limits, exclude: ['src/'] } };
    const { id } = takenOf(await takeSnapshot(strict, { workdir: one.workdir }));
    expect([...(await savedFiles(one.store, id)).keys()]).toEqual(['a.log']);
    expect((await takeSnapshot(strict, { workdir: one.workdir })).status).toBe('unchanged');
  });

  it('leaves out dependencies, builds, caches, secrets, media and archives by itself', async () => {
    const one = await takeScene();
    for (const name of [
      'node_modules/x/y',
      'dist/a',
      '__pycache__/a',
      '.env',
      '.env.local',
      'key.pem',
      'a.mp4',
      'a.zip',
    ])
      one.write(name, 'x');
    one.write('.env.example', 'x');
    one.write('src/index.ts', 'x');
    const { id } = takenOf(await takeSnapshot(one.store, { workdir: one.workdir }));
    expect([...(await savedFiles(one.store, id)).keys()]).toEqual(['.env.example', 'src/index.ts']);
  });

  it('leaves out builds and worktrees at any depth, and no file that is only called like one', async () => {
    const one = await takeScene();
    const left = [
      'dist/a',
      'target/a',
      '.worktrees/a/b',
      'packages/web/dist/a',
      'crates/x/target/debug/a',
      'x/.worktrees/a/b',
    ];
    const kept = ['a/dist', 'b/target', 'build.ts', 'src/distance/a', 'src/targets/a', 'target.md'];
    for (const name of [...left, ...kept]) one.write(name, 'x');
    git(join(one.workdir, '.worktrees', 'a'), 'init', '-q');
    const { id } = takenOf(await takeSnapshot(one.store, { workdir: one.workdir }));
    expect([...(await savedFiles(one.store, id)).keys()]).toEqual(kept);
  });

  it('takes up a newer built-in list in a store that was made with an older one', async () => {
    const one = await takeScene();
    const names = async (store: typeof one.store) => {
      const { id } = takenOf(await takeSnapshot(store, { workdir: one.workdir }));
      return [...(await savedFiles(store, id)).keys()];
    };
    const older = join(one.dir, 'older');
    writeFileSync(older, DEFAULT_EXCLUDES.replace('\ndist/\n', '\n/dist/\n'));
    one.write('a', '1');
    one.write('packages/web/dist/a', '1');
    const before = { ...one.store, limits: { ...one.store.limits, excludeFrom: older } };
    expect(await names(before)).toEqual(['a', 'packages/web/dist/a']);
    writeFileSync(join(one.store.layout.gitDir, 'info', 'exclude'), readFileSync(older));
    expect(await names(await testStore(one.dir))).toEqual(['a']);
    expect((await takeSnapshot(one.store, { workdir: one.workdir })).status).toBe('unchanged');
  });

  it('skips pipes and sockets, and drops a file that became one', async () => {
    const one = await takeScene();
    one.write('a', '1');
    one.write('b', '1');
    execFileSync('mkfifo', [join(one.workdir, 'pipe')]);
    await takeExactly(one);
    rmSync(join(one.workdir, 'a'));
    execFileSync('mkfifo', [join(one.workdir, 'a')]);
    await takeExactly(one);
  });

  it('refuses a project with more files than the limit, and saves nothing of it', async () => {
    const one = await takeScene({ maxFiles: 3 });
    for (const name of ['a', 'b', 'c']) one.write(name, name);
    one.write('node_modules/many/1', 'x');
    one.write('node_modules/many/2', 'x');
    await takeSnapshot(one.store, { workdir: one.workdir });
    renameSync(join(one.workdir, 'a'), join(one.workdir, 'z'));
    takenOf(await takeSnapshot(one.store, { workdir: one.workdir }));
    one.write('d', 'd');
    const result = await takeSnapshot(one.store, { workdir: one.workdir });
    expect(result).toMatchObject({ status: 'refused', message: expect.stringContaining('more than 3 files') });
    expect((await readSnapshots(one.store)).checkpoints).toHaveLength(2);
  });

  it('takes an empty project', async () => {
    const one = await takeScene();
    const { fileCount } = takenOf(await takeSnapshot(one.store, { workdir: one.workdir }));
    expect(fileCount).toBe(0);
    expect((await takeSnapshot(one.store, { workdir: one.workdir })).status).toBe('unchanged');
    one.write('a', '1');
    await takeExactly(one);
    rmSync(join(one.workdir, 'a'));
    await takeExactly(one);
  });
});
