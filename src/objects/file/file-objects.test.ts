import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runKit } from '../../../test/support/run-kit.ts';
import { collect } from '../../../test/support/collect.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { bytesSource } from '../../core/objects/object-store.ts';
import { objectStoreCases } from '../../kit/objects/object-store-cases.ts';
import { dieAtChange } from '../../kit/homes/die-at-change.ts';
import { createFileObjects } from './file-objects.ts';

runKit('objects in a folder', objectStoreCases, () => {
  const root = tempDir();
  return {
    store: () => createFileObjects(root),
    conditionalPut: 'honoured' as const,
    largeBytes: 3 * 1024 * 1024 + 17,
  };
});

describe('objects in a folder', () => {
  it('never makes the folder itself, which may be a disk that is not mounted', async () => {
    const root = join(tempDir(), 'disk');
    const store = createFileObjects(root);
    const put = store.put('a/b', bytesSource(Buffer.from('x')));
    await expect(put).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('is not there') as string,
    });
    expect(existsSync(root)).toBe(false);
    await expect(store.sizeOf('a/b')).rejects.toMatchObject({ code: 'failed' });
  });

  it('has an object whole or not at all, wherever its writer dies, and finds what that left', async () => {
    for (const onlyNew of [true, false])
      for (let change = 1, died = true; died; change += 1) {
        const root = tempDir();
        const store = createFileObjects(root);
        const source = bytesSource(Buffer.alloc(100, 'x'));
        died = await dieAtChange(change, () => store.put('home/object', source, { onlyNew }));
        const sizeBytes = await store.sizeOf('home/object');
        expect([undefined, 100]).toContain(sizeBytes);
        for (const key of await collect(store.unfinished('home/'))) expect(key).toBe('home/object');
        await store.remove('home/object');
        expect(existsSync(join(root, 'home')) ? readdirSync(join(root, 'home')) : []).toEqual([]);
      }
  });

  it('follows no link below its folder', async () => {
    const root = tempDir();
    const outside = tempDir();
    writeFileSync(join(outside, 'secret'), 'not yours');
    symlinkSync(outside, join(root, 'a'));
    symlinkSync(join(outside, 'secret'), join(root, 'link'));
    const store = createFileObjects(root);
    await expect(store.put('a/b', bytesSource(Buffer.from('x')))).rejects.toMatchObject({ code: 'refused' });
    expect(await store.get('link')).toBeUndefined();
    expect(readdirSync(outside)).toEqual(['secret']);
    rmSync(join(root, 'a'));
    mkdirSync(join(root, 'a'));
    expect(await collect(store.list(''))).toEqual([]);
  });
});
