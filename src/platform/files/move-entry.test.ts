import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { moveEntry, refuseLinks } from './move-entry.ts';

describe('moveEntry', () => {
  let root: string;
  const at = (...names: string[]) => join(root, ...names);

  beforeEach(() => {
    root = tempDir();
    mkdirSync(at('from', 'folder'), { recursive: true });
    mkdirSync(at('to'));
    writeFileSync(at('from', 'file'), 'content');
  });

  it('moves files and folders, and says when there is nothing to move', () => {
    expect(moveEntry(root, at('from', 'file'), at('to', 'file'))).toBe('moved');
    expect(readFileSync(at('to', 'file'), 'utf8')).toBe('content');
    expect(moveEntry(root, at('from', 'folder'), at('to', 'folder'))).toBe('moved');
    expect(moveEntry(root, at('from', 'file'), at('to', 'other'))).toBe('nothing-there');
  });

  it('never moves onto something that exists, a dangling link included', () => {
    writeFileSync(at('to', 'file'), 'first');
    symlinkSync('nowhere', at('to', 'link'));
    for (const name of ['file', 'link'])
      expect(() => moveEntry(root, at('from', 'file'), at('to', name))).toThrow('is there already');
    expect(readFileSync(at('to', 'file'), 'utf8')).toBe('first');
    expect(existsSync(at('from', 'file'))).toBe(true);
  });

  it('leaves links and files with other names where they are', () => {
    symlinkSync(at('from', 'file'), at('from', 'link'));
    expect(() => moveEntry(root, at('from', 'link'), at('to', 'link'))).toThrow('neither a file nor a folder');
    linkSync(at('from', 'file'), at('second name'));
    expect(() => moveEntry(root, at('from', 'file'), at('to', 'file'))).toThrow('has other names');
  });

  it('goes through no link, at either end and however far up', () => {
    mkdirSync(at('real', 'deep'), { recursive: true });
    writeFileSync(at('real', 'deep', 'file'), 'content');
    symlinkSync(at('real'), at('link'));
    expect(() => moveEntry(root, at('link', 'deep', 'file'), at('to', 'file'))).toThrow('is a link');
    expect(() => moveEntry(root, at('from', 'file'), at('link', 'deep', 'new'))).toThrow('is a link');
    expect(existsSync(at('real', 'deep', 'new'))).toBe(false);
  });

  it('touches nothing outside its root', () => {
    expect(() => moveEntry(at('from'), at('from', 'file'), at('to', 'file'))).toThrow('no folder of this home');
    expect(() => refuseLinks(at('from'), at('from', '..', 'to'))).toThrow('no folder of this home');
    expect(() => refuseLinks(root, at('not', 'there', 'yet'))).not.toThrow();
    expect(() => refuseLinks(root, root)).not.toThrow();
  });
});
