import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WalkEntry, walkTree } from './walk-tree.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coppice-walk-tree-'));
});
// Not `rmSync`, which cannot remove paths longer than the system takes in one call.
afterEach(() => execFileSync('rm', ['-rf', root]));

describe('walkTree', () => {
  it('finds everything, in order of name, each directory before what it holds', () => {
    mkdirSync(join(root, 'b/deep/er'), { recursive: true });
    for (const file of ['z', 'a', 'b/2', 'b/1', 'b/deep/er/x', 'b.txt']) writeFileSync(join(root, file), '');
    expect(walked()).toEqual([
      'file a',
      'dir b',
      'file b/1',
      'file b/2',
      'dir b/deep',
      'dir b/deep/er',
      'file b/deep/er/x',
      'file b.txt',
      'file z',
    ]);
  });

  it('describes a file', () => {
    const file = join(root, 'file');
    writeFileSync(file, 'x'.repeat(5000));
    chmodSync(file, 0o640);
    linkSync(file, join(root, 'link'));
    utimesSync(file, 1_700_000_000.25, 1_700_000_000.25);
    const [entry] = walkTree(root);
    expect(entry).toEqual({
      kind: 'file',
      path: 'file',
      sizeBytes: 5000,
      diskBytes: statSync(file).blocks * 512,
      modifiedAt: 1_700_000_000_250,
      mode: 0o100640,
      linkCount: 2,
      inode: statSync(file).ino,
    });
  });

  it('counts what a file with holes takes on the disk', () => {
    writeFileSync(join(root, 'sparse'), 'x'.repeat(4096));
    truncateSync(join(root, 'sparse'), 64 * 1024 * 1024);
    const [entry] = walkTree(root);
    expect(entry).toMatchObject({
      sizeBytes: 64 * 1024 * 1024,
      diskBytes: statSync(join(root, 'sparse')).blocks * 512,
    });
    expect(entry).toMatchObject({ diskBytes: expect.toSatisfy((bytes: number) => bytes < 64 * 1024 * 1024) });
  });

  it('reports links, whole or broken, and follows none', () => {
    mkdirSync(join(root, 'dir'));
    writeFileSync(join(root, 'dir/file'), '');
    symlinkSync('dir', join(root, 'to-dir'));
    symlinkSync('..', join(root, 'dir/up'));
    symlinkSync('missing', join(root, 'broken'));
    expect(walked()).toEqual(['symlink broken', 'dir dir', 'file dir/file', 'symlink dir/up', 'symlink to-dir']);
  });

  it('walks a root that is given as a link', () => {
    mkdirSync(join(root, 'real'));
    writeFileSync(join(root, 'real/file'), '');
    symlinkSync('real', join(root, 'link'));
    expect([...walkTree(join(root, 'link'))].map(label)).toEqual(['file file']);
  });

  it('reports what is neither file, directory nor link', () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(walked()).toEqual(['other pipe']);
  });

  it('reports a root that does not exist, and a root that is a file', () => {
    writeFileSync(join(root, 'file'), '');
    expect([...walkTree(join(root, 'missing'))]).toEqual([
      { kind: 'unreadable', path: '.', error: 'ENOENT: no such file or directory' },
    ]);
    expect([...walkTree(join(root, 'file'))]).toEqual([
      { kind: 'unreadable', path: '.', error: 'ENOTDIR: not a directory' },
    ]);
  });

  it('leaves out what vanishes while it walks', () => {
    for (const dir of ['a', 'b', 'c']) mkdirSync(join(root, dir));
    writeFileSync(join(root, 'c/file'), '');
    const seen: string[] = [];
    for (const entry of walkTree(root)) {
      seen.push(label(entry));
      // Already listed, not yet looked at; and already looked at, not yet listed.
      if (entry.path === 'a') rmSync(join(root, 'b'), { recursive: true });
      if (entry.path === 'c') rmSync(join(root, 'c'), { recursive: true });
    }
    expect(seen).toEqual(['dir a', 'dir c']);
  });

  it('reports a directory that became a file while it walks', () => {
    mkdirSync(join(root, 'a'));
    const seen: string[] = [];
    for (const entry of walkTree(root)) {
      seen.push(label(entry));
      if (entry.kind !== 'dir') continue;
      rmSync(join(root, 'a'), { recursive: true });
      writeFileSync(join(root, 'a'), '');
    }
    expect(seen).toEqual(['dir a', 'unreadable a']);
  });

  it('reports paths that are too long for the system, and goes on', () => {
    const levels = process.platform === 'linux' ? 15 : 4;
    const deep = `${'d'.repeat(200)}/`.repeat(levels);
    mkdirSync(join(root, 'a', deep), { recursive: true });
    mkdirSync(join(root, 'b', deep), { recursive: true });
    renameSync(join(root, 'b'), join(root, 'a', deep, 'b'));
    writeFileSync(join(root, 'next'), '');
    const entries = [...walkTree(root)];
    expect(entries.at(-2)).toMatchObject({ kind: 'unreadable', error: 'ENAMETOOLONG: name too long' });
    expect(entries.at(-1)).toMatchObject({ kind: 'file', path: 'next' });
  });

  it.runIf(process.platform === 'linux')('reports names that are not UTF-8, and goes on', () => {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff])]), '');
    writeFileSync(join(root, 'good-\uFFFD-é'), '');
    expect([...walkTree(root)]).toMatchObject([
      { kind: 'unreadable', path: 'bad-\uFFFD', error: 'Its name is not valid UTF-8.' },
      { kind: 'file', path: 'good-\uFFFD-é' },
    ]);
  });

  it.runIf(process.platform === 'linux')('does not enter another file system', () => {
    const device = statSync('/dev').dev;
    const mounts = readdirSync('/dev', { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && statSync(join('/dev', entry.name)).dev !== device)
      .map((entry) => entry.name);
    expect(mounts).not.toEqual([]);
    const entries = [...walkTree('/dev')];
    for (const name of mounts) {
      expect(entries.filter(({ path }) => path === name || path.startsWith(`${name}/`))).toEqual([
        { kind: 'unreadable', path: name, error: 'It is on another file system.' },
      ]);
    }
  });
});

function walked(): string[] {
  return [...walkTree(root)].map(label);
}

function label(entry: WalkEntry): string {
  return `${entry.kind} ${entry.path}`;
}
