import { appendFileSync, linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { DirectoryHandle } from './directory-handle.ts';
import { appendToLog, readLog } from './json-log.ts';

describe('a log of entries', () => {
  it('gives back what was added, without what a crash cut off', () => {
    const path = join(tempDir(), 'log');
    expect(readLog(path)).toEqual([]);
    appendToLog(path, [{ one: 1 }, { two: 2 }]);
    appendFileSync(path, '{"cut":');
    appendToLog(path, [{ three: 3 }]);
    expect(readLog(path)).toEqual([{ one: 1 }, { two: 2 }, { three: 3 }]);
  });

  it.each([
    ['a link', symlinkSync],
    ['another name', linkSync],
  ])('is not what somebody has outside under %s: that is never written', (_, link) => {
    const root = tempDir();
    writeFileSync(join(root, 'canary'), '{"not":"ours"}\n');
    link(join(root, 'canary'), join(root, 'log'));
    using folder = DirectoryHandle.open(root);
    if (link === symlinkSync) expect(() => readLog(folder.at('log'))).toThrow(`${join(root, 'log')} is not a file`);
    expect(() => appendToLog(folder.at('log'), [{ one: 1 }])).toThrow(join(root, 'log'));
    expect(readFileSync(join(root, 'canary'), 'utf8')).toBe('{"not":"ours"}\n');
  });
});
