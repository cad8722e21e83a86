import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeTree } from './remove-tree.ts';

describe('removeTree', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'coppice-remove-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('removes a folder with all that is in it, more than are removed at once, and says what that took', async () => {
    const folder = join(root, 'folder');
    mkdirSync(join(folder, 'a', 'b'), { recursive: true });
    for (let number = 0; number < 150; number += 1) writeFileSync(join(folder, 'a', `${number}`), 'text');
    writeFileSync(join(folder, 'a', 'b', 'deep'), 'x'.repeat(10_000));
    const deep = lstatSync(join(folder, 'a', 'b', 'deep')).blocks * 512;
    expect(await removeTree(root, folder)).toBeGreaterThanOrEqual(deep);
    expect(readdirSync(root)).toEqual([]);
  });

  it('removes a single file, and takes what is not there for removed', async () => {
    writeFileSync(join(root, 'file'), 'x');
    const { blocks } = lstatSync(join(root, 'file'));
    expect(await removeTree(root, join(root, 'file'))).toBe(blocks * 512);
    expect(await removeTree(root, join(root, 'file'))).toBe(0);
  });

  it('removes a link, never what it points to', async () => {
    mkdirSync(join(root, 'folder'));
    writeFileSync(join(root, 'other'), 'x');
    symlinkSync(root, join(root, 'folder', 'up'));
    symlinkSync(join(root, 'other'), join(root, 'folder', 'file'));
    await removeTree(root, join(root, 'folder'));
    expect(readdirSync(root)).toEqual(['other']);
  });

  it.skipIf(process.platform !== 'linux')('removes nothing of a folder that it cannot read all of', async () => {
    const folder = join(root, 'folder');
    mkdirSync(folder);
    writeFileSync(join(folder, 'file'), 'x');
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]), 'x');
    await expect(removeTree(root, folder)).rejects.toThrow('was not removed: Its name is not valid UTF-8.');
    expect(existsSync(join(folder, 'file'))).toBe(true);
  });
});
