import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { openRegular, readRegular, refuseIrregular } from './open-regular.ts';

const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;

describe('opening a file of ours', () => {
  it('reads and writes one that is there, and makes one that is not', () => {
    const path = join(tempDir(), 'file');
    const handle = openRegular(path, O_WRONLY | O_CREAT);
    writeSync(handle, 'text');
    closeSync(handle);
    expect(readRegular(path).toString()).toBe('text');
    expect(() => refuseIrregular(path)).not.toThrow();
  });

  it('says what the system says of one that is not there', () => {
    const path = join(tempDir(), 'none');
    expect(() => readRegular(path)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    expect(() => refuseIrregular(path)).not.toThrow();
  });

  it.each([
    ['a pipe', async (path: string) => void execFileSync('mkfifo', [path])],
    ['a folder', async (path: string) => mkdirSync(path)],
    ['a socket', async (path: string) => void (await once(createServer().listen(path).unref(), 'listening'))],
  ])('refuses %s in its place at once, however it is opened', async (name, make) => {
    const path = join(tempDir(), 'odd');
    await make(path);
    const refusal = expect.objectContaining({ code: 'refused', message: `${path} is not a file, but ${name}.` });
    expect(() => openRegular(path, O_RDONLY)).toThrow(refusal);
    if (name !== 'a folder')
      for (const flags of [O_WRONLY, O_RDWR]) expect(() => openRegular(path, flags)).toThrow(refusal);
    expect(() => refuseIrregular(path)).toThrow(refusal);
  });

  it('refuses a device', () => {
    expect(() => readRegular('/dev/zero')).toThrow('/dev/zero is not a file, but a device.');
  });

  it('follows what a link leads to, as every reader does, unless told otherwise', () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'file'), 'text');
    execFileSync('ln', ['-s', 'file', join(dir, 'link')]);
    expect(readRegular(join(dir, 'link'))).toEqual(readFileSync(join(dir, 'file')));
    expect(() => readRegular(join(dir, 'link'), O_RDONLY | O_NOFOLLOW)).toThrow('is not a file, but a link');
  });
});
