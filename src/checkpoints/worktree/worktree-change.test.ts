import fs, {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDirInMemory } from '../../../test/support/engine-temp-dir.ts';
import { hostileTree, listTree, writeTree } from '../../../test/support/hostile-trees.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { runGit } from '../../platform/git/run-git.ts';
import { diffTrees } from '../project/diff-trees.ts';
import { openContents } from './restore-contents.ts';
import { writeBatch } from './worktree-batch.ts';
import { changeWorktree, previewWorktree } from './worktree-change.ts';
import { Folder, openPlace } from './worktree-folder.ts';
import { stageEntry } from './worktree-write.ts';

const TREES = process.env['COPPICE_TORTURE'] === undefined ? 20 : 500;

describe('changing a working directory from one saved state to another', () => {
  let gitDir: string;
  let workdir: string;
  let saves = 0;

  beforeEach(async () => {
    const root = tempDirInMemory();
    gitDir = join(root, 'store');
    workdir = join(root, 'work');
    mkdirSync(gitDir);
    mkdirSync(workdir);
    await runGit({ gitDir }, ['init', '--bare', '-q', gitDir]);
    writeFileSync(join(gitDir, 'info', 'attributes'), '* -text !eol -filter -ident !working-tree-encoding -merge\n');
  });

  /** The tree of everything in the working directory now. */
  async function save(): Promise<string> {
    const place = { gitDir, workTree: workdir, indexFile: join(gitDir, `index-${(saves += 1)}`) };
    await runGit(place, ['add', '-A', '-f', '.']);
    return (await runGit(place, ['write-tree'])).stdout.toString().trim();
  }

  async function change(from: string, to: string): Promise<string[]> {
    const changes = await diffTrees(gitDir, { from, to });
    const skipped: string[] = [];
    using root = new Folder(workdir);
    const layout = { home: dirname(gitDir), gitDir, work: join(gitDir, 'work') };
    for await (const file of changeWorktree({ layout, workdir, root, changes })) {
      if (file.status === 'skipped') skipped.push(`${file.path.toString()}: ${file.detail}`);
    }
    return skipped;
  }

  async function preview(from: string, to: string): Promise<string[]> {
    const changes = await diffTrees(gitDir, { from, to });
    const skipped: string[] = [];
    using root = new Folder(workdir);
    for await (const file of previewWorktree({ root, changes })) {
      if (file.status === 'skipped') skipped.push(`${file.path.toString()}: ${file.detail}`);
    }
    return skipped;
  }

  const put = (name: string, content: string) => writeFileSync(join(workdir, name), content);

  it('says so when the disk does not take what was changed in a folder', async () => {
    put('a', 'one');
    const one = await save();
    put('a', 'two');
    const two = await save();
    const real = fs.fsyncSync;
    fs.fsyncSync = (handle) => {
      if (fs.fstatSync(handle).isDirectory()) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      real(handle);
    };
    syncBuiltinESMExports();
    try {
      await expect(change(two, one)).rejects.toThrow('EIO');
    } finally {
      fs.fsyncSync = real;
      syncBuiltinESMExports();
    }
    expect(await change(two, one)).toEqual([]);
  });

  it('leaves a file as it was when the disk does not take the new content', async () => {
    put('a', 'one');
    const one = await save();
    put('a', 'two');
    const two = await save();
    const real = fs.fsync;
    const refuse = (_: number, callback: (error: Error) => void) =>
      callback(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
    fs.fsync = refuse as typeof fs.fsync;
    syncBuiltinESMExports();
    try {
      expect(await change(two, one)).toEqual(['a: The file system refused it: EIO.']);
    } finally {
      fs.fsync = real;
      syncBuiltinESMExports();
    }
    expect(listTree(workdir)).toEqual({ a: 'file two' });
    expect(await change(two, one)).toEqual([]);
  });

  it('gives back every byte, permission and link of any tree, there and back again', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTree, hostileTree, async (one, other) => {
        writeTree(workdir, one);
        const [first, listed] = [await save(), listTree(workdir)];
        writeTree(workdir, other);
        const [second, later] = [await save(), listTree(workdir)];
        expect(await preview(second, first)).toEqual([]);
        expect(listTree(workdir)).toEqual(later);
        expect(await change(second, first)).toEqual([]);
        expect(listTree(workdir)).toEqual(listed);
        expect(await change(first, second)).toEqual([]);
        expect(listTree(workdir)).toEqual(later);
      }),
      { numRuns: TREES },
    );
  }, 1_800_000);

  it('leaves what no checkpoint holds, and says so, in the preview too', async () => {
    put('kept', 'target');
    put('link', 'target');
    mkdirSync(join(workdir, 'folder'));
    put('folder/inside', 'target');
    const target = await save();
    rmSync(workdir, { recursive: true });
    mkdirSync(workdir);
    const safety = await save();
    put('kept', 'never saved');
    mkdirSync(join(workdir, 'link'));
    put('link/too', 'never saved');
    symlinkSync('/', join(workdir, 'folder'));
    const before = listTree(workdir);
    const expected = [
      'folder/inside: A file or link stands where its folder should be.',
      'kept: It holds something that no checkpoint has, so it stays as it is.',
      'link: A folder that holds other files is in the way.',
    ];
    expect(await preview(safety, target)).toEqual(expected);
    expect(await change(safety, target)).toEqual(expected);
    expect(listTree(workdir)).toEqual(before);
  });

  it('does not remove a file that was changed after it was saved', async () => {
    const target = await save();
    put('new', 'saved');
    const safety = await save();
    put('new', 'changed since');
    expect(await change(safety, target)).toHaveLength(1);
    expect(listTree(workdir)).toEqual({ new: 'file changed since' });
  });

  it('touches no file that is the same in both states', async () => {
    put('same', 'same');
    put('other', 'one');
    const target = await save();
    put('other', 'two');
    const safety = await save();
    const before = statSync(join(workdir, 'same'), { bigint: true });
    await change(safety, target);
    expect(statSync(join(workdir, 'same'), { bigint: true })).toEqual(before);
  });

  it('keeps the permissions of a file, but for the right to run it', async () => {
    put('secret', 'one');
    put('script', 'one');
    chmodSync(join(workdir, 'secret'), 0o600);
    chmodSync(join(workdir, 'script'), 0o740);
    const target = await save();
    put('secret', 'two');
    put('script', 'two');
    chmodSync(join(workdir, 'script'), 0o640);
    const safety = await save();
    await change(safety, target);
    const modeOf = (name: string) => statSync(join(workdir, name)).mode & 0o777;
    expect([modeOf('secret'), modeOf('script')]).toEqual([0o600, 0o750]);
  });

  it('removes the folders it empties, and no others', async () => {
    const target = await save();
    for (const name of ['a', 'a/b', 'a/b/c', 'own', 'own/inner']) mkdirSync(join(workdir, name));
    put('a/b/c/file', 'x');
    put('own/inner/file', 'x');
    const safety = await save();
    put('own/mine', 'never saved');
    await change(safety, target);
    expect(readdirSync(workdir)).toEqual(['own']);
    expect(readdirSync(join(workdir, 'own'))).toEqual(['mine']);
  });

  it('leaves nothing behind of a file that it cannot write', async () => {
    put('file', 'target');
    const target = await save();
    put('file', 'safety');
    const [first] = await diffTrees(gitDir, { from: await save(), to: target });
    if (first?.to === undefined) throw new Error('there is no file to write');
    using root = new Folder(workdir);
    const content = async function* () {
      expect(readdirSync(workdir)).toHaveLength(2);
      yield Buffer.from('target');
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    };
    const write = { folder: root, name: first.path, entry: first.to, content: content() };
    await expect(stageEntry(write)).rejects.toThrow('no space');
    expect(listTree(workdir)).toEqual({ file: 'file safety' });
  });

  it('leaves a file that is changed while the others of its batch are written', async () => {
    for (const name of ['a', 'b']) put(name, 'target');
    const target = await save();
    for (const name of ['a', 'b']) put(name, 'safety');
    const safety = await save();
    const changes = await diffTrees(gitDir, { from: safety, to: target });
    using root = new Folder(workdir);
    using contents = openContents(gitDir);
    const read = async function* (oid: string) {
      yield* contents.read(oid);
      put('a', 'of a person');
    };
    const outcomes = await writeBatch({ root, contents: { ...contents, read } }, changes);
    expect(outcomes.map(({ status }) => status)).toEqual(['skipped', 'done']);
    expect(listTree(workdir)).toEqual({ a: 'file of a person', b: 'file target' });
  });

  it('never follows a link that takes the place of a folder, at whatever moment', async () => {
    const outside = tempDir();
    writeFileSync(join(outside, 'file'), 'not yours');
    mkdirSync(join(workdir, 'folder'));
    put('folder/file', 'target');
    const target = await save();
    put('folder/file', 'safety');
    const safety = await save();
    const [first] = await diffTrees(gitDir, { from: safety, to: target });
    if (first?.to === undefined) throw new Error('there is no file to write');
    using root = new Folder(workdir);
    using place = openPlace(root, first.path, { create: true });
    const content = async function* () {
      // The folder is open by now; its name leads outside from here on.
      renameSync(join(workdir, 'folder'), join(workdir, 'moved'));
      symlinkSync(outside, join(workdir, 'folder'));
      yield Buffer.from('target');
    };
    const { folder, name } = place;
    if (folder === undefined) throw new Error('the folder was not opened');
    using staged = await stageEntry({ folder, name, entry: first.to, content: content() });
    await staged.sync();
    staged.put();
    expect(listTree(outside)).toEqual({ file: 'file not yours' });
    expect(readFileSync(join(workdir, 'moved', 'file'), 'utf8')).toBe('target');
    expect(openPlace(root, first.path, { create: true }).folder).toBeUndefined();
  });

  // Root may write everywhere.
  it.skipIf(process.getuid?.() === 0)('says which files may not be written, and writes the others', async () => {
    mkdirSync(join(workdir, 'closed'));
    put('closed/file', 'target');
    put('open', 'target');
    const target = await save();
    put('closed/file', 'safety');
    put('open', 'safety');
    const safety = await save();
    chmodSync(join(workdir, 'closed'), 0o500);
    try {
      expect(await change(safety, target)).toEqual(['closed/file: It may not be read or changed.']);
    } finally {
      chmodSync(join(workdir, 'closed'), 0o700);
    }
    expect(listTree(workdir)).toEqual({ 'closed/file': 'file safety', open: 'file target' });
  });
});
