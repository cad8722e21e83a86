import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Folder } from '../../src/checkpoints/worktree/worktree-folder.ts';
import type { Checkpoint } from '../../src/core/retention/checkpoint.ts';
import { beforeCall } from '../support/before-call.ts';
import { type CheckpointDesk, openDesk } from '../support/checkpoint-desk.ts';
import { manualClock } from '../support/clock.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { listTree } from '../support/hostile-trees.ts';
import { oddGit } from '../support/odd-git.ts';

/** What stands at the path of the working directory in the end: another folder, or the way to one. */
const SWAPS = {
  'a link': 'mv projects/work moved; ln -s ../outside/work projects/work',
  'another folder': 'mv projects/work moved; mv outside/work projects/work; ln -s ../projects/work outside/work',
  'a link above it': 'mkdir moved-projects; mv projects moved-projects; ln -s outside projects',
} as const;

describe.skipIf(process.platform !== 'linux')('a working directory that is swapped while it is restored', () => {
  let root: string;
  let desk: CheckpointDesk;
  let target: Checkpoint;
  const at = (...names: string[]) => join(root, ...names);
  const outside = () => listTree(at('outside', 'work', '.'));
  const CANARY = { 'sub/file': 'file not yours', kept: 'file not yours' };

  beforeEach(async () => {
    root = tempDirInMemory();
    for (const name of ['projects/work/sub', 'outside/work/sub']) mkdirSync(at(name), { recursive: true });
    for (const name of Object.keys(CANARY)) writeFileSync(at('outside', 'work', name), 'not yours');
    desk = await openDesk({ root, clock: manualClock(), workdir: at('projects', 'work') });
    for (const name of ['gone', 'sub/file']) writeFileSync(join(desk.workdir, name), 'saved');
    target = await desk.take();
    rmSync(join(desk.workdir, 'gone'));
    for (const name of ['new', 'sub/new']) writeFileSync(join(desk.workdir, name), 'later');
  });
  afterEach(() => desk[Symbol.asyncDispose]());

  /** Whether a file that is to go is being read, to be sure that it was saved. */
  const isLater = (_: unknown, buffer: unknown) => (buffer as Buffer).length === 'later'.length + 1;

  /** Swaps before the first git of this command, and never again. */
  const swapBefore = (command: string, swap: string) =>
    oddGit(
      command,
      `[ -e ${at('swapped')} ] || { touch ${at('swapped')}; cd ${root}; ${swap}; cd "$GIT_DIR"; }; $git "$@"`,
    );

  it.each(Object.entries(SWAPS))('is refused when it is %s by the time that it is saved', async (_, swap) => {
    using _git = swapBefore('diff-tree', swap);
    await expect(desk.restore(target)).rejects.toThrow('was moved or replaced');
    expect(outside()).toEqual(CANARY);
    expect(await desk.sessions.journal.unfinished()).toEqual([]);
  });

  it.each(Object.entries(SWAPS))('is written where it is by then, and nothing in %s', async (_, swap) => {
    using _git = swapBefore('update-ref --stdin', swap);
    const { skipped } = await desk.restore(target);
    expect(skipped).toEqual([]);
    expect(outside()).toEqual(CANARY);
    const moved = swap.includes('moved-projects') ? at('moved-projects', 'projects', 'work') : at('moved');
    expect(listTree(moved)).toEqual({ gone: 'file saved', 'sub/file': 'file saved' });
  });

  it('loses nothing of another folder that takes the place of one while a file in it is judged', async () => {
    writeFileSync(at('outside', 'work', 'sub', 'new'), 'not yours');
    const swap = () => {
      renameSync(join(desk.workdir, 'sub'), at('moved'));
      renameSync(at('outside', 'work', 'sub'), join(desk.workdir, 'sub'));
    };
    const act = () => desk.restore(target, { paths: [Buffer.from('sub')] });
    await beforeCall('readSync', swap, { act, isMeant: isLater });
    expect(listTree(join(desk.workdir, 'sub'))).toEqual({ file: 'file not yours', new: 'file not yours' });
  });

  it('keeps a file that is changed at the moment when it would go', async () => {
    const change = () => writeFileSync(join(desk.workdir, 'new'), 'unsaved');
    let read = false;
    const restore = () => desk.restore(target, { paths: [Buffer.from('new')] });
    const act = () => beforeCall('readSync', () => (read = true), { act: restore, isMeant: isLater });
    const { skipped } = await beforeCall('closeSync', change, { act, isMeant: () => read });
    expect(skipped).toEqual([expect.stringContaining('at this very moment')]);
    expect(listTree(desk.workdir)).toMatchObject({ new: 'file unsaved' });
  });

  it('is made again in the directory that held it, and not behind a link', async () => {
    rmSync(desk.workdir, { recursive: true });
    rmSync(at('outside', 'work'), { recursive: true });
    writeFileSync(at('projects', 'other'), '');
    const swap = () => {
      renameSync(at('projects'), at('projects-moved'));
      symlinkSync(at('outside'), at('projects'));
    };
    await beforeCall('mkdirSync', swap, {
      act: () => desk.restore(target).catch(() => undefined),
      isMeant: (path) => String(path).endsWith('work'),
    });
    expect(listTree(at('outside'))).toEqual({});
  });
});

describe('an open folder of a working directory, where only its path leads to it', () => {
  it('is of no use once something else stands there', () => {
    const root = tempDirInMemory();
    for (const name of ['folder', 'other']) mkdirSync(join(root, name));
    using folder = new Folder(join(root, 'folder'), { through: false });
    expect(folder.lacks(Buffer.from('file'))).toBe(true);
    renameSync(join(root, 'folder'), join(root, 'moved'));
    for (const put of [
      () => renameSync(join(root, 'other'), join(root, 'folder')),
      () => symlinkSync('moved', join(root, 'folder')),
    ]) {
      rmSync(join(root, 'folder'), { recursive: true, force: true });
      put();
      expect(() => folder.make(Buffer.from('new'))).toThrow('was moved or replaced');
    }
    expect(listTree(root)).toEqual({ folder: 'link moved' });
  });
});
