import { existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { ballastBytes, keepBallast, releaseBallast } from './ballast.ts';

describe('the reserve', () => {
  let root: string;
  let path: string;
  const canary = () => readFileSync(join(root, 'canary'), 'utf8');

  beforeEach(() => {
    root = tempDir();
    path = join(root, 'ballast');
    writeFileSync(join(root, 'canary'), 'not yours');
  });

  it('is as large as asked, grows and shrinks, and is given free', () => {
    for (const size of [4096, 10_000, 5000]) {
      keepBallast(path, size);
      expect([ballastBytes(path), statSync(path).size]).toEqual([size, size]);
    }
    expect(releaseBallast(path)).toBe(5000);
    expect(existsSync(path)).toBe(false);
  });

  it('takes the place of a file that has another name elsewhere, and leaves that as it is', () => {
    linkSync(join(root, 'canary'), path);
    expect(ballastBytes(path)).toBe(0);
    keepBallast(path, 4096);
    expect(canary()).toBe('not yours');
    expect([statSync(path).size, statSync(path).nlink]).toEqual([4096, 1]);
  });

  it('is not made where something else stands', () => {
    symlinkSync(join(root, 'canary'), path);
    expect(ballastBytes(path)).toBe(0);
    expect(() => keepBallast(path, 4096)).toThrow('is not a plain file');
    mkdirSync(join(root, 'folder'));
    expect(() => keepBallast(join(root, 'folder'), 4096)).toThrow('is not a plain file');
    expect(canary()).toBe('not yours');
  });
});
