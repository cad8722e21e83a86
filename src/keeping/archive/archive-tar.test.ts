import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createArchiveTar } from './archive-tar.ts';

describe('a tar archive', () => {
  const write = async (fill: (tar: ReturnType<typeof createArchiveTar>) => Promise<void>) => {
    const path = join(tempDir(), 'bundle.tar');
    const handle = openSync(path, 'w+');
    const tar = createArchiveTar(handle, NOW);
    await fill(tar);
    tar.finish();
    closeSync(handle);
    return path;
  };
  const tar = (...args: string[]) => execFileSync('tar', args, { env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' } });

  it('is read by the tar of the system, names, sizes, times and bytes', async () => {
    const contents = [0, 1, 511, 512, 513, 70_000].map((length) => Buffer.alloc(length, `${length} `));
    const path = await write(async (file) => {
      for (const [at, content] of contents.entries()) {
        await file.add(`${at}.jsonl.br`, (data) => {
          data(content.subarray(0, 100));
          data(content.subarray(100));
        });
      }
    });
    const lines = tar('-tvf', path).toString().trim().split('\n');
    expect(lines.map((line) => line.split(/ +/))).toEqual(
      contents.map(({ length }, at) => ['-rw-------', '0/0', String(length), '2026-01-15', '12:00', `${at}.jsonl.br`]),
    );
    for (const [at, content] of contents.entries())
      expect(tar('-xOf', path, `${at}.jsonl.br`).equals(content)).toBe(true);
  });

  it('says where each member is', async () => {
    let place = { offsetBytes: 0, lengthBytes: 0 };
    const path = await write(async (file) => {
      await file.add('first', (data) => data(Buffer.from('something')));
      place = await file.add('second', (data) => data(Buffer.from('wanted')));
    });
    const { offsetBytes, lengthBytes } = place;
    expect(readFileSync(path).toString('latin1', offsetBytes, offsetBytes + lengthBytes)).toBe('wanted');
  });

  it('keeps no trace of a member that failed', async () => {
    const path = await write(async (file) => {
      await file.add('kept', (data) => data(Buffer.from('one')));
      const failing = file.add('failing', async (data) => {
        data(Buffer.alloc(5000, 'x'));
        await Promise.resolve();
        throw new Error('no more');
      });
      await expect(failing).rejects.toThrow('no more');
      await file.add('later', (data) => data(Buffer.from('two')));
    });
    expect(tar('-tf', path).toString()).toBe('kept\nlater\n');
    expect(readFileSync(path).includes('xxx')).toBe(false);
  });
});
