import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { makePrivateDir, syncDir, writeFileAtomic } from './private-files.ts';

let dir: string;
beforeEach(() => {
  dir = tempDir();
});
describe('makePrivateDir', () => {
  it.each([0o000, 0o022, 0o777])('makes every directory private under umask %i', (umask) => {
    withUmask(umask, () => makePrivateDir(join(dir, 'a/b/c')));
    expect([mode('a'), mode('a/b'), mode('a/b/c')]).toEqual([0o700, 0o700, 0o700]);
  });

  it('leaves the mode of what exists alone', () => {
    mkdirSync(join(dir, 'open'));
    chmodSync(join(dir, 'open'), 0o755);
    makePrivateDir(join(dir, 'open'));
    makePrivateDir(join(dir, 'open/inner'));
    expect([mode('open'), mode('open/inner')]).toEqual([0o755, 0o700]);
  });

  it('accepts a link to a directory', () => {
    mkdirSync(join(dir, 'real'));
    symlinkSync('real', join(dir, 'link'));
    makePrivateDir(join(dir, 'link/inner'));
    expect(mode('real/inner')).toBe(0o700);
  });

  it.each(['taken', 'taken/inner', 'taken/inner/deep'])('refuses %s when "taken" is a file', (path) => {
    writeFileSync(join(dir, 'taken'), 'precious');
    expect(() => makePrivateDir(join(dir, path))).toThrow(
      expect.objectContaining({ code: 'refused', message: expect.stringContaining(join(dir, 'taken')) }),
    );
    expect(readFileSync(join(dir, 'taken'), 'utf8')).toBe('precious');
  });

  it('refuses a link that leads nowhere, and does not create what it points to', () => {
    symlinkSync('missing', join(dir, 'link'));
    expect(() => makePrivateDir(join(dir, 'link'))).toThrow(expect.objectContaining({ code: 'refused' }));
    expect(existsSync(join(dir, 'missing'))).toBe(false);
  });

  it('passes other errors on', () => {
    symlinkSync('loop', join(dir, 'loop'));
    expect(() => makePrivateDir(join(dir, 'loop/inner'))).toThrow(expect.objectContaining({ code: 'ELOOP' }));
  });
});

describe('writeFileAtomic', () => {
  it.each([0o000, 0o022, 0o777])('writes a private file under umask %i', (umask) => {
    withUmask(umask, () => writeFileAtomic(join(dir, 'file'), 'content'));
    expect(mode('file')).toBe(0o600);
    expect(readFileSync(join(dir, 'file'), 'utf8')).toBe('content');
  });

  it('writes any text and any bytes exactly', () => {
    const text = `NUL \0, line\r\n, é, 👋 ${'x'.repeat(3_000_000)}`;
    writeFileAtomic(join(dir, 'text'), text);
    expect(readFileSync(join(dir, 'text'), 'utf8') === text).toBe(true);
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
    writeFileAtomic(join(dir, 'bytes'), bytes);
    expect(new Uint8Array(readFileSync(join(dir, 'bytes')))).toEqual(bytes);
    writeFileAtomic(join(dir, 'empty'), '');
    expect(readFileSync(join(dir, 'empty'), 'utf8')).toBe('');
  });

  it('replaces the file and leaves nothing else behind', () => {
    writeFileAtomic(join(dir, 'file'), 'old and longer');
    writeFileAtomic(join(dir, 'file'), 'new');
    expect(readFileSync(join(dir, 'file'), 'utf8')).toBe('new');
    expect(readdirSync(dir)).toEqual(['file']);
  });

  it('does not change a file that is being read', () => {
    writeFileAtomic(join(dir, 'file'), 'old');
    const before = statSync(join(dir, 'file')).ino;
    writeFileAtomic(join(dir, 'file'), 'new');
    expect(statSync(join(dir, 'file')).ino).not.toBe(before);
  });

  it('replaces a link itself, not what it points to', () => {
    writeFileSync(join(dir, 'target'), 'precious');
    symlinkSync('target', join(dir, 'link'));
    writeFileAtomic(join(dir, 'link'), 'new');
    expect(lstatSync(join(dir, 'link')).isFile()).toBe(true);
    expect(readFileSync(join(dir, 'target'), 'utf8')).toBe('precious');
  });

  it('removes the temporary file when it cannot be put in place', () => {
    mkdirSync(join(dir, 'taken'));
    expect(() => writeFileAtomic(join(dir, 'taken'), 'new')).toThrow();
    expect(readdirSync(dir)).toEqual(['taken']);
  });

  it('fails when the directory does not exist', () => {
    expect(() => writeFileAtomic(join(dir, 'missing/file'), 'new')).toThrow(
      expect.objectContaining({ code: 'ENOENT' }),
    );
  });
});

describe('syncDir', () => {
  it('syncs a directory', () => {
    expect(() => syncDir(dir)).not.toThrow();
  });

  it('fails on a directory that does not exist', () => {
    expect(() => syncDir(join(dir, 'missing'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  it.runIf(process.platform === 'linux')('does nothing where directories cannot be synced', () => {
    expect(() => syncDir('/proc')).not.toThrow();
  });
});

function mode(path: string): number {
  return statSync(join(dir, path)).mode & 0o7777;
}

function withUmask(umask: number, action: () => void): void {
  const before = process.umask(umask);
  try {
    action();
  } finally {
    process.umask(before);
  }
}
