import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CheckpointDesk, openDesk } from '../../../test/support/checkpoint-desk.ts';
import { manualClock } from '../../../test/support/clock.ts';
import { collect } from '../../../test/support/collect.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { readSnapshots } from '../store/read-snapshots.ts';
import { readWorktree } from '../worktree/read-worktree.ts';
import { diffSnapshots, diffText } from './diff-snapshots.ts';

describe('comparing checkpoints', () => {
  let desk: CheckpointDesk;

  beforeEach(async () => {
    desk = await openDesk({ root: tempDir(), clock: manualClock() });
    mkdirSync(join(desk.workdir, 'src'));
    put('src/changed', 'one\ntwo\n');
    put('removed', 'x\n');
    put('binary', 'a\0');
  });
  afterEach(() => desk[Symbol.asyncDispose]());

  const put = (name: string, content: string) => writeFileSync(join(desk.workdir, name), content);
  const gitDir = () => desk.store.layout.gitDir;

  function change(): void {
    put('src/changed', 'one\nthree\nfour\n');
    put('binary', 'b\0');
    put(':new\n', 'x\n');
    put('.gitattributes', '* diff=custom -text\n*.x textconv=y\n');
    unlinkSync(join(desk.workdir, 'removed'));
  }

  it('counts the lines of every file, and none of binary ones', async () => {
    const from = await desk.take();
    change();
    const to = await desk.take();
    const files = await diffSnapshots(gitDir(), { from: from.tree, to: to.tree, paths: [] });
    expect(files.map(({ path, ...file }) => ({ path: path.toString(), ...file }))).toEqual([
      { path: '.gitattributes', kind: 'added', binary: false, addedLines: 2, removedLines: 0 },
      { path: ':new\n', kind: 'added', binary: false, addedLines: 1, removedLines: 0 },
      { path: 'binary', kind: 'changed', binary: true },
      { path: 'removed', kind: 'removed', binary: false, addedLines: 0, removedLines: 1 },
      { path: 'src/changed', kind: 'changed', binary: false, addedLines: 2, removedLines: 1 },
    ]);
    expect(await diffSnapshots(gitDir(), { from: to.tree, to: to.tree, paths: [] })).toEqual([]);
  });

  it('shows the lines themselves, and only of the paths that were named', async () => {
    const from = await desk.take();
    change();
    const to = await desk.take();
    const text = async (paths: string[]) =>
      (await collect(diffText(gitDir(), { from: from.tree, to: to.tree, paths }))).join('');
    expect(await text(['src'])).toContain('-two\n+three\n+four\n');
    expect(await text(['src'])).not.toContain('removed');
    expect(await text([])).toContain('Binary files a/binary and b/binary differ');
    expect(await text([])).toContain('deleted file mode 100644');
  });

  it('compares with the files as they are now, and leaves the store as it was', async () => {
    const from = await desk.take();
    change();
    using now = await readWorktree(desk.store, desk.workdir);
    const files = await diffSnapshots(gitDir(), { from: from.tree, to: now.tree, paths: ['src/changed'] });
    expect(files).toMatchObject([{ kind: 'changed', addedLines: 2, removedLines: 1 }]);
    expect((await readSnapshots(desk.store)).checkpoints.map(({ id }) => id)).toEqual([from.id]);
  });
});
