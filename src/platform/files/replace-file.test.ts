import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { replaceFile } from './replace-file.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('replacing a file', () => {
  it('makes a new one private, with the folders above it', () => {
    const path = join(tempDir(), 'a', 'b', 'out.txt');
    replaceFile(path, 'new');
    expect([readFileSync(path, 'utf8'), modeOf(path), modeOf(join(path, '..'))]).toEqual(['new', 0o600, 0o700]);
  });

  it.each([0o644, 0o664, 0o440])('keeps the mode that it has: %o', (mode) => {
    const path = join(tempDir(), 'out.txt');
    writeFileSync(path, 'old');
    chmodSync(path, mode);
    replaceFile(path, 'new');
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['new', mode]);
  });

  it('follows links, one after the other, and leaves them as they are', () => {
    const root = tempDir();
    for (const name of ['data', 'links']) mkdirSync(join(root, name));
    writeFileSync(join(root, 'data', 'real.txt'), 'old', { mode: 0o640 });
    symlinkSync('../data/real.txt', join(root, 'links', 'first'));
    symlinkSync('first', join(root, 'links', 'out.txt'));
    replaceFile(join(root, 'links', 'out.txt'), 'new');
    expect(readlinkSync(join(root, 'links', 'out.txt'))).toBe('first');
    expect(lstatSync(join(root, 'links', 'first')).isSymbolicLink()).toBe(true);
    expect([readFileSync(join(root, 'data', 'real.txt'), 'utf8'), modeOf(join(root, 'data', 'real.txt'))]).toEqual([
      'new',
      0o640,
    ]);
    // Nothing is left beside it.
    expect([readdirSync(join(root, 'data')), readdirSync(join(root, 'links'))]).toEqual([
      ['real.txt'],
      ['first', 'out.txt'],
    ]);
  });

  it('follows a link whose file is not there yet', () => {
    const root = tempDir();
    symlinkSync('later/out.txt', join(root, 'link'));
    replaceFile(join(root, 'link'), 'new');
    expect(readFileSync(join(root, 'later', 'out.txt'), 'utf8')).toBe('new');
    expect(readlinkSync(join(root, 'link'))).toBe('later/out.txt');
  });

  it('refuses a link to itself, a folder and a device, and changes nothing', () => {
    const root = tempDir();
    symlinkSync('loop', join(root, 'loop'));
    symlinkSync('/dev/null', join(root, 'null'));
    mkdirSync(join(root, 'folder'));
    expect(() => replaceFile(join(root, 'loop'), 'new')).toThrow('leads back to itself');
    expect(() => replaceFile(join(root, 'null'), 'new')).toThrow('/dev/null is not a file');
    expect(() => replaceFile(join(root, 'folder'), 'new')).toThrow('is not a file');
    expect(readdirSync(root)).toEqual(['folder', 'loop', 'null']);
  });
});
