import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beforeCall } from '../../../../../test/support/before-call.ts';
import { tempDir } from '../../../../../test/support/temp-dir.ts';
import { changeShallow, readShallow } from './shallow-file.ts';

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];

describe('the file in which git notes where histories are cut', () => {
  it('is changed in one step and goes with its last line', () => {
    const gitDir = tempDir();
    expect([...readShallow(gitDir)]).toEqual([]);
    changeShallow(gitDir, { add: [A, B] });
    changeShallow(gitDir, { add: [A] });
    expect(readFileSync(join(gitDir, 'shallow'), 'utf8')).toBe(`${A}\n${B}\n`);
    changeShallow(gitDir, { remove: [A] });
    expect([...readShallow(gitDir)]).toEqual([B]);
    changeShallow(gitDir, { remove: [B] });
    expect(readdirSync(gitDir)).toEqual([]);
  });

  it('is left alone while git has its lock, and the lock with it', () => {
    const gitDir = tempDir();
    const lock = join(gitDir, 'shallow.lock');
    writeFileSync(lock, '');
    expect(() => changeShallow(gitDir, { add: [A] })).toThrow('is being changed by git');
    expect(existsSync(lock)).toBe(true);
    expect([...readShallow(gitDir)]).toEqual([]);
  });

  it('is freed of a lock that a killed git or a killed process of our own left', () => {
    const gitDir = tempDir();
    const lock = join(gitDir, 'shallow.lock');
    writeFileSync(lock, '');
    utimesSync(lock, 1, 1);
    changeShallow(gitDir, { add: [A] });
    writeFileSync(join(gitDir, 'shallow.coppice'), `${A}\n`);
    linkSync(join(gitDir, 'shallow.coppice'), lock);
    changeShallow(gitDir, { add: [B] });
    expect([...readShallow(gitDir)]).toEqual([A, B]);
    expect(readdirSync(gitDir)).toEqual(['shallow']);
  });

  it.skipIf(process.platform !== 'linux')('stays the one of the repository that was opened', async () => {
    const root = tempDir();
    const [gitDir, outside] = [join(root, 'store'), join(root, 'outside')];
    for (const folder of [gitDir, outside]) mkdirSync(folder);
    writeFileSync(join(outside, 'shallow'), `${B}\n`);
    const swap = () => {
      renameSync(gitDir, join(root, 'moved'));
      symlinkSync(outside, gitDir);
    };
    await beforeCall('linkSync', swap, { act: () => changeShallow(gitDir, { add: [A] }) });
    expect([...readShallow(outside)]).toEqual([B]);
    expect([...readShallow(join(root, 'moved'))]).toEqual([A]);
    expect(readdirSync(outside)).toEqual(['shallow']);
  });
});
