import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createSharedLock } from './sqlite-shared-lock.ts';

describe('a shared lock', () => {
  it('is shared by many, and held alone by one', async () => {
    const lock = createSharedLock(join(tempDir(), 'lock.db'));
    {
      using _first = await lock.share(0);
      using _second = await lock.share(0);
      await expect(lock.alone(0)).rejects.toMatchObject({ code: 'locked' });
    }
    {
      using _alone = await lock.alone(0);
      await expect(lock.share(0)).rejects.toMatchObject({ code: 'locked' });
      await expect(lock.alone(0)).rejects.toMatchObject({ code: 'locked' });
    }
    using _again = await lock.share(0);
  });

  it('lets whoever waits to have it alone go before those who come later', async () => {
    const lock = createSharedLock(join(tempDir(), 'lock.db'));
    const first = await lock.share(0);
    const order: string[] = [];
    const note = async (name: string, acquire: Promise<Disposable>) => {
      using _held = await acquire;
      order.push(name);
    };
    const alone = note('alone', lock.alone(10_000));
    // The gate is shut by now, so the newcomer waits although sharing alone would be possible.
    const later = note('later', lock.share(10_000));
    first[Symbol.dispose]();
    await Promise.all([alone, later]);
    expect(order).toEqual(['alone', 'later']);
  });

  it('opens the gate again when having it alone was in vain', async () => {
    const lock = createSharedLock(join(tempDir(), 'lock.db'));
    using _first = await lock.share(0);
    await expect(lock.alone(20)).rejects.toMatchObject({ code: 'locked' });
    using _second = await lock.share(0);
  });

  it('is free again the moment its holder is killed', async () => {
    const path = join(tempDir(), 'lock.db');
    const lock = createSharedLock(path);
    const script = `
      const db = new (require('better-sqlite3'))(${JSON.stringify(path)});
      db.exec('BEGIN EXCLUSIVE');
      console.log('held');
      setInterval(() => {}, 1000);`;
    (await lock.share(0))[Symbol.dispose]();
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await expect(lock.share(0)).rejects.toMatchObject({ code: 'locked' });
    child.kill('SIGKILL');
    await once(child, 'close');
    using _held = await lock.alone(1000);
  });
});
