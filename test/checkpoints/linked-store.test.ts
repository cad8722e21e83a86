import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { reclaimStore } from '../../src/checkpoints/reclaim/reclaim-store.ts';
import { setPin } from '../../src/checkpoints/set-pin.ts';
import { healStore } from '../../src/checkpoints/worktree/heal-store.ts';
import type { CheckpointStore } from '../../src/checkpoints/store/open-store.ts';
import { snapshotRef } from '../../src/checkpoints/store/store-layout.ts';
import { takeSnapshot } from '../../src/checkpoints/take/take-snapshot.ts';
import type { Checkpoint } from '../../src/core/retention/checkpoint.ts';
import { runGit } from '../../src/platform/git/run-git.ts';
import { takenOf, testStore } from '../support/checkpoint-store.ts';
import { nameOfTheDead } from '../support/dead-process.ts';
import { treeOf } from '../support/engine-checker.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { oddGit } from '../support/odd-git.ts';

describe.skipIf(process.platform === 'win32')('a checkpoint store with a link in place of a folder', () => {
  let root: string;
  let store: CheckpointStore;
  let checkpoint: Checkpoint;
  let outside: string;

  beforeEach(async () => {
    root = tempDirInMemory();
    outside = join(root, 'outside');
    mkdirSync(join(root, 'work'));
    store = await testStore(root);
    checkpoint = await take('one');
    await setPin(store, checkpoint, true);
  });

  async function take(content: string): Promise<Checkpoint> {
    writeFileSync(join(root, 'work', 'file'), content);
    return takenOf(await takeSnapshot(store, { workdir: join(root, 'work'), reason: 'a test' }));
  }

  /** What somebody has outside looks as if it were ours, and some of it as if it were left behind. */
  function linkTo(path: string, more: readonly string[] = []): void {
    const place = join(root, 'home', path);
    mkdirSync(place, { recursive: true });
    cpSync(place, outside, { recursive: true });
    for (const name of [nameOfTheDead(), 'tmp_pack_x', '0123456789abcdef', ...more])
      writeFileSync(join(outside, name), 'not yours');
    rmSync(place, { recursive: true });
    symlinkSync(outside, place);
  }

  const quietly = (act: () => Promise<unknown>) => act().catch(() => undefined);

  it.each([
    '',
    '/store',
    ...['projects', 'indexes', 'promises', 'work', 'objects', 'objects/pack', 'refs/coppice/pins', 'info'].map(
      (name) => `/store/${name}`,
    ),
  ])('is refused as it is opened, and nothing changes behind checkpoints%s', async (path) => {
    linkTo(`checkpoints${path}`);
    const before = treeOf(outside);
    await expect(testStore(root)).rejects.toThrow('is a link or no folder');
    expect(treeOf(outside)).toEqual(before);
  });

  it.each(['store/projects', 'store/promises', 'store/work'])(
    'writes and removes nothing behind %s that became one since it was opened',
    async (path) => {
      mkdirSync(store.layout.work, { recursive: true });
      writeFileSync(join(store.layout.work, nameOfTheDead('git')), '');
      linkTo(join('checkpoints', path), [checkpoint.id]);
      const before = treeOf(outside);
      await quietly(() => take('two'));
      await quietly(() => healStore(store));
      await quietly(() => reclaimStore(store, { insist: true, graceMs: 0 }));
      expect(treeOf(outside)).toEqual(before);
    },
  );

  it('does without a cache of indexes that is behind one, and clears nothing there', async () => {
    linkTo('cache/checkpoint-indexes');
    const before = treeOf(outside);
    await take('two');
    await reclaimStore(store, { insist: true, maxBytes: 1 });
    expect(treeOf(outside)).toEqual(before);
  });

  it('removes no lock behind one, which is then no lock of git', async () => {
    linkTo('checkpoints/store/refs/coppice/pins', [`${checkpoint.id}.lock`]);
    const before = treeOf(outside);
    await expect(setPin(store, checkpoint, false)).rejects.toThrow('is a link or no folder');
    expect(treeOf(outside)).toEqual(before);
  });

  it('removes nothing behind one that takes the place of a folder of objects after the last look', async () => {
    const second = await take('two');
    await runGit(store.layout, ['update-ref', '-d', snapshotRef(second.projectId, second.id)]);
    const place = join(store.layout.objects, second.id.slice(0, 2));
    mkdirSync(outside);
    for (const name of readdirSync(place)) writeFileSync(join(outside, name), 'not yours');
    const before = treeOf(outside);
    // The refs are read once to decide, and once more when the store is held alone.
    const count = join(root, 'count');
    const swap = `mv ${place} ${place}-moved; ln -s ${outside} ${place}`;
    using _git = oddGit('for-each-ref', `echo >> ${count}; [ $(wc -l < ${count}) = 2 ] && { ${swap}; }; $git "$@"`);
    await reclaimStore(store, { insist: true });
    expect(readdirSync(dirname(place))).toContain(`${second.id.slice(0, 2)}-moved`);
    expect(treeOf(outside)).toEqual(before);
  });

  it('removes what a dead process left, and nothing behind a link in that', async () => {
    const left = join(store.layout.root, nameOfTheDead());
    mkdirSync(left);
    mkdirSync(outside);
    writeFileSync(join(outside, 'canary'), 'not yours');
    symlinkSync(outside, join(left, 'link'));
    renameSync(store.layout.gitDir, join(root, 'store-moved'));
    store = await testStore(root);
    expect(readdirSync(store.layout.root)).not.toContain(basename(left));
    expect(readdirSync(outside)).toEqual(['canary']);
  });
});
