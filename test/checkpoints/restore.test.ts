import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readRefs } from '../../src/checkpoints/store/store-refs.ts';
import { type CheckpointDesk, openDesk } from '../support/checkpoint-desk.ts';
import { manualClock } from '../support/clock.ts';
import { messagesOf, user } from '../support/collect.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { hostileTree, listTree, writeTree } from '../support/hostile-trees.ts';
import { tempDir } from '../support/temp-dir.ts';

const TREES = process.env['COPPICE_TORTURE'] === undefined ? 10 : 300;

describe('restoring a checkpoint', () => {
  let desk: CheckpointDesk;
  const clock = manualClock();

  beforeEach(async () => {
    desk = await openDesk({ root: tempDirInMemory(), clock });
  });
  afterEach(() => desk[Symbol.asyncDispose]());

  const put = (name: string, content: string) => writeFileSync(join(desk.workdir, name), content);
  const files = () => listTree(desk.workdir);

  it('gives back any tree as it was, and undo gives back what was there before', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTree, hostileTree, async (one, other) => {
        writeTree(desk.workdir, one);
        const [target, taken] = [await desk.take(), files()];
        writeTree(desk.workdir, other);
        const before = files();
        const shown = await desk.preview(target);
        expect(files()).toEqual(before);
        const { skipped, runId, files: done } = await desk.restore(target);
        expect(done).toEqual(shown);
        expect(skipped).toEqual([]);
        expect(files()).toEqual(taken);
        if (runId !== undefined) expect(await desk.undo(runId)).toEqual([]);
        expect(files()).toEqual(before);
      }),
      { numRuns: TREES },
    );
  }, 1_800_000);

  it('does nothing, and records nothing, when nothing differs', async () => {
    put('a', 'one');
    const target = await desk.take();
    const { runId, safety, files: touched } = await desk.restore(target);
    expect({ runId, safety: safety.id, touched }).toEqual({ safety: target.id, touched: [] });
    expect(await desk.sessions.journal.unfinished()).toEqual([]);
  });

  it('changes only the files and folders that were named, and undo the same', async () => {
    for (const folder of ['src', 'src/deep', 'other']) mkdirSync(join(desk.workdir, folder));
    const all = ['src/a', 'src/deep/b', 'other/c', '-d', 'src-not'];
    for (const name of all) put(name, 'one');
    const target = await desk.take();
    for (const name of all) put(name, 'two');
    put('src/new', 'two');
    const before = files();
    const { skipped, runId } = await desk.restore(target, { paths: ['./src/', '-d'].map((path) => Buffer.from(path)) });
    expect(skipped).toEqual([]);
    expect(files()).toEqual({
      '-d': 'file one',
      'other/c': 'file two',
      'src-not': 'file two',
      'src/a': 'file one',
      'src/deep/b': 'file one',
    });
    put('other/c', 'three');
    expect(await desk.undo(runId ?? '')).toEqual([]);
    expect(files()).toEqual({ ...before, 'other/c': 'file three' });
  });

  it('refuses paths that lead out of the folder, and names one that nothing knows', async () => {
    put('a', 'one');
    const target = await desk.take();
    put('a', 'two');
    for (const path of ['../a', '/a', 'b/../../a', '', 'a\0b'])
      await expect(desk.restore(target, { paths: [Buffer.from(path)] }), path).rejects.toThrow('not a path inside');
    await expect(desk.restore(target, { paths: [Buffer.from('nothing')] })).rejects.toThrow('has no nothing');
    expect(files()).toEqual({ a: 'file two' });
  });

  it('leaves ignored and excluded files alone', async () => {
    put('.gitignore', 'ignored\n');
    put('a', 'one');
    const target = await desk.take();
    put('a', 'two');
    put('ignored', 'mine');
    put('excluded-by-config', 'mine');
    await desk.restore(target);
    expect(files()).toMatchObject({ a: 'file one', ignored: 'file mine', 'excluded-by-config': 'file mine' });
  });

  it('goes back although files were put on the ignore list since, and loses nothing of them', async () => {
    put('a', 'one');
    const target = await desk.take();
    put('.gitignore', '*\n');
    put('a', 'two');
    const before = files();
    const shown = await desk.preview(target);
    const { skipped, runId, files: done } = await desk.restore(target);
    expect(done).toEqual(shown);
    expect(skipped).toEqual([]);
    expect(files()).toMatchObject({ a: 'file one' });
    expect(await desk.undo(runId ?? '')).toEqual([]);
    expect(files()).toEqual(before);
  });

  it('saves a file first that is ignored by now and that no take knows any more', async () => {
    put('a', 'one');
    const target = await desk.take();
    unlinkSync(join(desk.workdir, 'a'));
    put('b', 'kept');
    await desk.take();
    put('.gitignore', 'a\n');
    put('a', 'never saved');
    const before = files();
    const { skipped, runId } = await desk.restore(target);
    expect(skipped).toEqual([]);
    expect(files()).toMatchObject({ a: 'file one' });
    expect(await desk.undo(runId ?? '')).toEqual([]);
    expect(files()).toEqual(before);
  });

  it('never touches a file that is too large to be saved', async () => {
    put('a', 'one');
    put('b', 'one');
    const target = await desk.take();
    put('a', 'x'.repeat(2 * 1024 * 1024));
    put('b', 'two');
    put('huge', 'y'.repeat(2 * 1024 * 1024));
    const before = files();
    const shown = await desk.preview(target);
    const { skipped, files: done } = await desk.restore(target);
    expect(done).toEqual(shown);
    expect(skipped).toEqual(['a: It holds something that no checkpoint has, so it stays as it is.']);
    expect(files()).toEqual({ ...before, b: 'file one' });
  });

  it('is not undone, and can be later, while what was there before cannot be read', async () => {
    put('a', 'one');
    const target = await desk.take();
    put('a', 'two');
    const { safety, runId = '' } = await desk.restore(target);
    const tree = join(desk.store.layout.objects, safety.tree.slice(0, 2), safety.tree.slice(2));
    renameSync(tree, `${tree}-away`);
    expect(await desk.undo(runId)).toEqual(['What was there before cannot be read from the checkpoint store.']);
    expect(files()).toEqual({ a: 'file one' });
    renameSync(`${tree}-away`, tree);
    expect(await desk.undo(runId)).toEqual([]);
    expect(files()).toEqual({ a: 'file two' });
  });

  it('does not undo what was changed after it', async () => {
    put('a', 'one');
    put('b', 'one');
    const target = await desk.take();
    put('a', 'two');
    put('b', 'two');
    const { runId } = await desk.restore(target);
    put('a', 'three');
    unlinkSync(join(desk.workdir, 'b'));
    expect(await desk.undo(runId ?? '')).toEqual([
      'Not put back: 1 of 2 files. a: It holds something that no checkpoint has, so it stays as it is.',
    ]);
    expect(files()).toEqual({ a: 'file three', b: 'file two' });
  });

  it('keeps both states until the undo is over, and no longer', async () => {
    put('a', 'one');
    const target = await desk.take();
    put('a', 'two');
    const { runId = '', safety } = await desk.restore(target);
    const kept = async () => [...(await readRefs(desk.store.layout))].filter(([name]) => name.includes('/keep/'));
    expect((await kept()).map(([, id]) => id).toSorted()).toEqual([safety.id, target.id].toSorted());
    expect(safety).toMatchObject({ kind: 'safety', reason: `before going back to ${target.id.slice(0, 12)}` });
    await desk.purge(runId);
    expect(await kept()).toEqual([]);
    put('a', 'three');
    const again = (await desk.restore(target)).runId ?? '';
    put('a', 'edited since');
    expect(await desk.undo(again)).toHaveLength(1);
    expect(await kept()).toHaveLength(2);
    put('a', 'one');
    expect(await desk.undo(again)).toEqual([]);
    expect(files()).toEqual({ a: 'file three' });
    expect(await kept()).toEqual([]);
  });

  it('removes a folder with its last file, and leaves every other folder alone', async () => {
    for (const name of ['empty', 'kept']) mkdirSync(join(desk.workdir, name));
    put('kept/a', 'one');
    const target = await desk.take();
    for (const name of ['new/deep', 'new/beside']) mkdirSync(join(desk.workdir, name), { recursive: true });
    put('new/deep/b', 'two');
    put('kept/more', 'two');
    const { runId = '' } = await desk.restore(target);
    const folders = () =>
      readdirSync(desk.workdir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(desk.workdir.length + 1))
        .toSorted();
    expect(folders()).toEqual(['empty', 'kept', 'new', 'new/beside']);
    expect(await desk.undo(runId)).toEqual([]);
    expect(folders()).toEqual(['empty', 'kept', 'new', 'new/beside', 'new/deep']);
  });

  it('brings a folder back that was removed', async () => {
    put('a', 'one');
    writeFileSync(join(desk.workdir, '..', 'something else'), '');
    const target = await desk.take();
    rmSync(desk.workdir, { recursive: true });
    const shown = await desk.preview(target);
    expect((await desk.restore(target)).files).toEqual(shown);
    expect(files()).toEqual({ a: 'file one' });
  });

  it('refuses a folder that may only be out of reach, in the preview too', async () => {
    put('a', 'one');
    const target = await desk.take();
    // What an unmounted volume leaves: an empty folder where the one above was.
    const above = dirname(desk.workdir);
    const aside = `${above}-aside`;
    renameSync(above, aside);
    onTestFinished(() => renameSync(aside, above));
    mkdirSync(above);
    onTestFinished(() => rmSync(above, { recursive: true }));
    await expect(desk.preview(target)).rejects.toThrow('cannot be reached now');
    expect(readdirSync(above)).toEqual([]);
  });

  it('cannot be undone while its folder is away, and can when it is back', async () => {
    put('a', 'one');
    const target = await desk.take();
    put('a', 'two');
    const { runId = '' } = await desk.restore(target);
    renameSync(desk.workdir, `${desk.workdir}-aside`);
    expect(await desk.undo(runId)).toEqual(['The folder is not there.']);
    renameSync(`${desk.workdir}-aside`, desk.workdir);
    expect(await desk.undo(runId)).toEqual([]);
    expect(files()).toEqual({ a: 'file two' });
  });

  it('is not stopped by what a killed git left behind', async () => {
    put('a', 'one');
    const target = await desk.take();
    put('a', 'two');
    const index = desk.store.layout.index(target.projectId);
    for (const left of [`${index}.scratch`, `${index}.scratch.lock`]) writeFileSync(left, 'half an index');
    expect(await desk.preview(target)).toMatchObject([{ kind: 'changed', status: 'done' }]);
  });

  it('does not take a link for the folder that was there', async () => {
    put('a', 'one');
    const target = await desk.take();
    const outside = tempDir();
    rmSync(desk.workdir, { recursive: true });
    symlinkSync(outside, desk.workdir);
    await expect(desk.restore(target)).rejects.toThrow('is not a folder any more');
    expect(readdirSync(outside)).toEqual([]);
  });

  it('takes the conversation back with the files, and both again on undo', async () => {
    await desk.sessions.create({ id: 's', source: 'cli' });
    await desk.sessions.append('s', ['one', 'two'].map(user));
    put('a', 'one');
    const target = await desk.take({ sessionId: 's', seq: 2 });
    await desk.sessions.append('s', ['three', 'four'].map(user));
    put('a', 'two');
    const { runId = '' } = await desk.restore(target, { session: { id: 's', afterSeq: 2 } });
    const said = async () => (await messagesOf(desk.sessions, 's')).map(({ content }) => content);
    expect(await said()).toEqual(['one', 'two']);
    expect(await desk.undo(runId)).toEqual([]);
    expect(await said()).toEqual(['one', 'two', 'three', 'four']);
    expect(files()).toEqual({ a: 'file two' });
  });

  it('goes back with the files although the conversation is gone, and says so', async () => {
    put('a', 'one');
    const target = await desk.take();
    put('a', 'two');
    const { sessionDetail } = await desk.restore(target, { session: { id: 'gone', afterSeq: 2 } });
    expect(sessionDetail).toBe('The session is not there.');
    expect(files()).toEqual({ a: 'file one' });
  });

  it('is not carried out later when it was cut short before the first file changed', async () => {
    await desk.sessions.create({ id: 's', source: 'cli' });
    await desk.sessions.append('s', ['one', 'two'].map(user));
    put('a', 'one');
    const target = await desk.take();
    put('a', 'two');
    const { runId = '' } = await desk.restore(target, { session: { id: 's', afterSeq: 1 } });
    put('a', 'two');
    // As a kill between the intent and the first file leaves it.
    await desk.sessions.journal.mark(
      runId,
      [1, 2].map((number) => ({ number, state: 'intended' })),
    );
    expect(await desk.recover(runId)).toEqual(['skipped', 'skipped']);
    expect(files()).toEqual({ a: 'file two' });
    expect(await messagesOf(desk.sessions, 's')).toHaveLength(2);
    expect([...(await readRefs(desk.store.layout)).keys()].filter((name) => name.includes('/keep/'))).toEqual([]);
  });
});
