import { chmodSync, existsSync, linkSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { DirectoryHandle, openBelow } from './directory-handle.ts';

// Where Node has no way through an open folder, its path is used; Linux can do both.
const WAYS = process.platform === 'linux' && existsSync('/proc/self/fd') ? [true, false] : [false];

describe.each(WAYS)('an open folder, reached through itself: %s', (through) => {
  let root: string;
  const at = (...names: string[]) => join(root, ...names);

  beforeEach(() => {
    root = tempDir();
    mkdirSync(at('home', 'inner'), { recursive: true });
    mkdirSync(at('outside'));
    writeFileSync(at('home', 'inner', 'file'), 'ours');
    writeFileSync(at('outside', 'file'), 'not ours');
    chmodSync(at('outside', 'file'), 0o644);
  });

  it('lists and looks at what is in it, and opens real folders alone', () => {
    symlinkSync(at('outside'), at('home', 'link'));
    using home = DirectoryHandle.open(at('home'), { through });
    expect(home.names().toSorted()).toEqual(['inner', 'link']);
    expect(home.look('inner')?.isDirectory()).toBe(true);
    expect(home.look('nothing')).toBeUndefined();
    expect(home.folder('nothing')).toBeUndefined();
    expect(() => home.folder('link')).toThrow('is a link or no folder');
    expect(() => home.folder('link')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('coppice doctor') }),
    );
    using inner = home.folder('inner');
    expect(() => inner?.folder('file')).toThrow('is a link or no folder');
  });

  it('leads nobody elsewhere once a link has taken its place', () => {
    using home = DirectoryHandle.open(at('home'), { through });
    using inner = home.folder('inner');
    renameSync(at('home', 'inner'), at('moved'));
    symlinkSync(at('outside'), at('home', 'inner'));
    if (through) expect(inner?.look('file')?.size).toBe('ours'.length);
    else expect(() => inner?.look('file')).toThrow('is a link or no folder');
  });

  it('takes no name that leads out of it', () => {
    using home = DirectoryHandle.open(at('home'), { through });
    for (const name of ['', '.', '..', 'inner/file', '../outside']) expect(() => home.at(name)).toThrow('is no name');
  });

  it('gives a mode to what is its own, and never to what a link or another name leads to', () => {
    symlinkSync(at('outside', 'file'), at('home', 'link'));
    linkSync(at('outside', 'file'), at('home', 'second'));
    using home = DirectoryHandle.open(at('home'), { through });
    for (const name of ['link', 'second']) expect(() => home.setMode(name, 0o600)).toThrow('not only ours');
    expect(statSync(at('outside', 'file')).mode & 0o777).toBe(0o644);
    using inner = home.folder('inner');
    inner?.setMode('file', 0o640);
    expect(statSync(at('home', 'inner', 'file')).mode & 0o777).toBe(0o640);
  });

  it('makes folders that are private whatever the umask, and takes those that are there', () => {
    const before = process.umask(0o277);
    try {
      using home = DirectoryHandle.open(at('home'), { through });
      home.madeFolder('new')[Symbol.dispose]();
      home.madeFolder('new')[Symbol.dispose]();
    } finally {
      process.umask(before);
    }
    expect(statSync(at('home', 'new')).mode & 0o777).toBe(0o700);
  });
});

describe('openBelow', () => {
  it('goes through real folders alone, and nowhere above its root', () => {
    const root = tempDir();
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    symlinkSync(join(root, 'a'), join(root, 'link'));
    openBelow(root, join(root, 'a', 'b'))?.[Symbol.dispose]();
    expect(openBelow(root, join(root, 'a', 'c'))).toBeUndefined();
    expect(openBelow(join(root, 'no'), join(root, 'no', 'a'))).toBeUndefined();
    expect(() => openBelow(root, join(root, 'link', 'b'))).toThrow('is a link or no folder');
    expect(() => openBelow(join(root, 'a'), root)).toThrow('is a link or no folder');
  });
});
