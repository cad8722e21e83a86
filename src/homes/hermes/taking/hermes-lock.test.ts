import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { takeHermesLock } from './hermes-lock.ts';

/** Whether somebody else could take the lock now. */
function free(path: string): boolean {
  return spawnSync('flock', ['-n', path, 'true']).status === 0;
}

describe.skipIf(process.platform !== 'linux')('the lock of Hermes', () => {
  it('keeps others out until it is given back, and says who has it', async () => {
    const path = join(tempDir(), 'state.db.auto-maintenance.lock');
    const lock = await takeHermesLock(path, 0);
    if (typeof lock === 'string') throw new Error(lock);
    expect(free(path)).toBe(false);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
    expect(await takeHermesLock(path, 0)).toBe('held');
    await lock[Symbol.asyncDispose]();
    expect(free(path)).toBe(true);
  });

  it('waits for another holder to finish', async () => {
    const path = join(tempDir(), 'lock');
    const holder = spawn('flock', [path, 'sh', '-c', 'echo held; sleep 0.5'], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(holder.stdout, 'data');
    expect(await takeHermesLock(path, 0)).toBe('held');
    const lock = await takeHermesLock(path, 20_000);
    expect(typeof lock).toBe('object');
    if (typeof lock !== 'string') await lock[Symbol.asyncDispose]();
  });

  it.each([
    ['a link', symlinkSync],
    ['another name', linkSync],
  ])('is taken through %s of a file, and says there nothing of who has it', async (_, give) => {
    const dir = tempDir();
    const outside = join(dir, 'outside');
    writeFileSync(outside, 'not ours');
    give(outside, join(dir, 'lock'));
    const lock = await takeHermesLock(join(dir, 'lock'), 0);
    if (typeof lock === 'string') throw new Error(lock);
    await lock[Symbol.asyncDispose]();
    expect(readFileSync(outside, 'utf8')).toBe('not ours');
  });

  it('is not possible where the file cannot be made, and says so', async () => {
    const path = join(tempDir(), 'file');
    writeFileSync(path, '');
    expect(await takeHermesLock(join(path, 'below'), 0)).toBe('not-possible');
  });
});
