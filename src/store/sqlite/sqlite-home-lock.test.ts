import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createHomeLock, type HolderNote } from './sqlite-home-lock.ts';

function aNote(): HolderNote {
  let text: string | undefined;
  return {
    set: async (purpose) => {
      text = purpose;
    },
    get: async () => text,
  };
}

describe('the lock of a home', () => {
  it('lets one in at a time and names who holds it', async () => {
    const path = join(tempDir(), 'lock.db');
    const note = aNote();
    const [first, second] = [createHomeLock(path, note), createHomeLock(path, note)];
    const held = await first.acquire('pruning, process 7', 0);
    await expect(second.acquire('undo', 30)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('pruning, process 7') as string,
    });
    held[Symbol.dispose]();
    using _again = await second.acquire('undo', 0);
    expect(await note.get()).toBe('undo');
  });

  it('waits for the holder as long as it was told to', async () => {
    const lock = createHomeLock(join(tempDir(), 'lock.db'), aNote());
    const held = await lock.acquire('one', 0);
    const waiting = lock.acquire('two', 10_000);
    held[Symbol.dispose]();
    using _got = await waiting;
  });

  it('lets go when its note cannot be written', async () => {
    const path = join(tempDir(), 'lock.db');
    const broken = { ...aNote(), set: () => Promise.reject(new Error('full')) };
    await expect(createHomeLock(path, broken).acquire('one', 0)).rejects.toThrow('full');
    using _free = await createHomeLock(path, aNote()).acquire('two', 0);
  });

  it('is a private file, and a folder that is not there is said in a sentence', async () => {
    const directory = tempDir();
    using _held = await createHomeLock(join(directory, 'lock.db'), aNote()).acquire('one', 0);
    expect(lstatSync(join(directory, 'lock.db')).mode & 0o777).toBe(0o600);
    const nowhere = createHomeLock(join(directory, 'missing', 'lock.db'), aNote());
    await expect(nowhere.acquire('one', 0)).rejects.toMatchObject({ name: 'Failure', code: 'not-found' });
  });
});
