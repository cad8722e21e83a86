import { closeSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { isStillAt, markFile } from './open-file.ts';

describe('isStillAt', () => {
  let directory: string;
  let path: string;
  let handle: number;

  beforeEach(() => {
    directory = tempDir();
    mkdirSync(join(directory, 'below'));
    path = join(directory, 'below', 'file');
    writeFileSync(path, 'content');
    handle = openSync(path, 'r+');
  });

  afterEach(() => {
    closeSync(handle);
  });

  it('knows a file that was only written to', () => {
    const mark = markFile(handle);
    writeFileSync(path, 'more', { flag: 'a' });
    expect(isStillAt(path, handle, mark)).toBe(true);
  });

  it('knows a file that was reached by a link above it', () => {
    symlinkSync(join(directory, 'below'), join(directory, 'link'));
    const other = openSync(join(directory, 'link', 'file'), 'r+');
    expect(isStillAt(join(directory, 'link', 'file'), other, markFile(other))).toBe(true);
    closeSync(other);
  });

  it.each<[string, () => void]>([
    ['removed', () => rmSync(path)],
    ['moved away', () => renameSync(path, `${path}-moved`)],
    [
      'removed and made again',
      () => {
        rmSync(path);
        writeFileSync(path, 'content');
      },
    ],
    [
      'replaced',
      () => {
        writeFileSync(`${path}-new`, 'new');
        renameSync(`${path}-new`, path);
      },
    ],
    ['moved with its directory', () => renameSync(join(directory, 'below'), join(directory, 'elsewhere'))],
  ])('notices that the file was %s', (_, change) => {
    const mark = markFile(handle);
    change();
    expect(isStillAt(path, handle, mark)).toBe(false);
  });
});
