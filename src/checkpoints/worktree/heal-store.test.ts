import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { testStore } from '../../../test/support/checkpoint-store.ts';
import { nameOfTheDead, nameOfTheReused } from '../../../test/support/dead-process.ts';
import { listTree } from '../../../test/support/hostile-trees.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { DAY_MS } from '../../core/time.ts';
import { gitMark } from '../../platform/git/git-at-work.ts';
import { temporaryName } from '../../platform/leftovers/temporary-name.ts';
import { takeSnapshot } from '../take/take-snapshot.ts';
import { RESTORE_PREFIX } from './worktree-write.ts';
import { healStore } from './heal-store.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { noteRestore, signIn } from '../store/store-work.ts';
import { verifyStore } from '../reclaim/verify-store.ts';

let store: CheckpointStore;
let workdir: string;

beforeEach(async () => {
  const dir = tempDir();
  workdir = join(dir, 'work');
  mkdirSync(join(workdir, 'deep'), { recursive: true });
  writeFileSync(join(workdir, 'file'), 'of a person');
  store = await testStore(dir);
});

function inStore(path: string): string {
  const full = join(store.layout.gitDir, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, '');
  return full;
}

const GIT_FILES = [
  'refs/coppice/keep/run/target.lock',
  'refs/coppice/trash/run/1.lock',
  'packed-refs.lock',
  'HEAD.lock',
  'shallow.lock',
  'indexes/0123456789abcdef',
  'indexes/0123456789abcdef.lock',
  'indexes/0123456789abcdef.scratch',
  'objects/pack/tmp_pack_abc',
  'objects/ab/tmp_obj_abc',
  `promises/${'a'.repeat(40)}`,
];

describe('a store in which a process died', () => {
  it('is rid of what its git left by whoever comes next: a take, a look, a check', async () => {
    for (const use of [() => healStore(store), () => takeSnapshot(store, { workdir }), () => verifyStore(store)]) {
      const left = [...GIT_FILES, `projects/${nameOfTheDead()}`, `info/${nameOfTheReused()}`].map(inStore);
      const note = inStore(`work/${nameOfTheDead('git')}`);
      await use();
      expect([...left, note].filter(existsSync)).toEqual([]);
    }
  });

  it('keeps all of that while a git that it started lives, and of processes that live', async () => {
    const left = GIT_FILES.map(inStore);
    const note = inStore(`work/${nameOfTheDead('git')}`);
    const env = { ...process.env, ...gitMark(store.layout.gitDir, 'pack-objects') };
    const orphan = spawn('sleep', ['60'], { env, stdio: 'ignore' });
    onTestFinished(() => void orphan.kill('SIGKILL'));
    await healStore(store);
    expect([...left, note].filter((path) => !existsSync(path))).toEqual([]);
  });

  it('is left alone while others write to it', async () => {
    const left = GIT_FILES.map(inStore);
    inStore(`work/${nameOfTheDead('git')}`);
    {
      using _others = await store.lock.share(0);
      await healStore(store);
      expect(left.filter((path) => !existsSync(path))).toEqual([]);
    }
    await healStore(store);
    expect(left.filter(existsSync)).toEqual([]);
  });

  it('is not searched where nobody died', async () => {
    const left = GIT_FILES.map(inStore);
    using _own = signIn(store.layout);
    await healStore(store);
    expect(left.filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe('a folder in which a restore died', () => {
  /** As a restore leaves it that was killed with files of its own in two folders. */
  function leave(name: string): string {
    writeFileSync(join(workdir, name), 'half');
    symlinkSync('file', join(workdir, 'deep', `${name.slice(0, -16)}0123456789abcdef`));
    const path = join(store.layout.work, `restore-${name.slice(RESTORE_PREFIX.length + 1)}`);
    mkdirSync(store.layout.work, { recursive: true });
    writeFileSync(path, JSON.stringify({ workdir, paths: ['file', 'deep/x'] }));
    return path;
  }

  it('is rid of the files of that restore, and of nothing else', async () => {
    const others = [`${RESTORE_PREFIX}-mine`, temporaryName(RESTORE_PREFIX), nameOfTheDead(RESTORE_PREFIX)];
    for (const name of others) writeFileSync(join(workdir, name), 'of a person');
    const note = leave(nameOfTheDead(RESTORE_PREFIX));
    await healStore(store);
    expect(existsSync(note)).toBe(false);
    expect(readdirSync(workdir).toSorted()).toEqual(['deep', 'file', ...others].toSorted());
    expect(readdirSync(join(workdir, 'deep'))).toEqual([]);
  });

  it('keeps the files of a restore that lives', async () => {
    using _note = noteRestore(store.layout, { workdir, paths: ['file'] });
    writeFileSync(join(workdir, temporaryName(RESTORE_PREFIX)), 'half');
    await healStore(store);
    expect(readdirSync(workdir)).toHaveLength(3);
    expect(readdirSync(store.layout.work)).toHaveLength(1);
  });

  it('is never reached through a link', async () => {
    const outside = tempDir();
    const name = nameOfTheDead(RESTORE_PREFIX);
    writeFileSync(join(outside, name), 'not ours');
    symlinkSync(outside, join(workdir, 'link'));
    const path = join(store.layout.work, `restore-${name.slice(RESTORE_PREFIX.length + 1)}`);
    mkdirSync(store.layout.work, { recursive: true });
    writeFileSync(path, JSON.stringify({ workdir, paths: ['link/x', '../x', 'deep/../../x'] }));
    await healStore(store);
    expect(listTree(outside)).toEqual({ [name]: 'file not ours' });
  });

  it('is waited for where it cannot be reached, for a month', async () => {
    const name = nameOfTheDead('restore');
    const old = name.replace(/-[0-9a-z]+(?=-[0-9a-f]{16}$)/, `-${(Date.now() - 31 * DAY_MS).toString(36)}`);
    mkdirSync(store.layout.work, { recursive: true });
    for (const each of [name, old]) {
      writeFileSync(join(store.layout.work, each), JSON.stringify({ workdir: '/nowhere/at-all', paths: ['x'] }));
    }
    await healStore(store);
    expect(readdirSync(store.layout.work)).toEqual([name]);
  });
});
