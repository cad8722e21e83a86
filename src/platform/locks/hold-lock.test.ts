import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { holdLock } from './hold-lock.ts';

/** Whether somebody else could take the lock now. */
function free(path: string): boolean {
  return spawnSync('flock', ['-n', path, 'true']).status === 0;
}

function lockFile(): string {
  const path = join(tempDir(), 'lock');
  writeFileSync(path, '');
  return path;
}

describe.skipIf(process.platform !== 'linux')('a lock that is held', () => {
  it('keeps others out until it is given back', () => {
    const path = lockFile();
    const held = holdLock(path);
    if (typeof held === 'string') throw new Error(held);
    expect(free(path)).toBe(false);
    expect(holdLock(path)).toBe('held');
    held[Symbol.dispose]();
    expect(free(path)).toBe(true);
  });

  it('is not taken from a living process, and is from one that was killed', async () => {
    const path = lockFile();
    const script = 'exec 3<"$1"; flock 3; echo held; exec sleep 60';
    const holder = spawn('sh', ['-c', script, 'sh', path], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(holder.stdout, 'data');
    expect(holdLock(path)).toBe('held');
    holder.kill('SIGKILL');
    await once(holder, 'close');
    expect(free(path)).toBe(true);
  });

  it('makes no file, and is taken through no link', () => {
    const folder = tempDir();
    expect(holdLock(join(folder, 'lock'))).toBe('absent');
    expect(readdirSync(folder)).toEqual([]);
    const path = lockFile();
    symlinkSync(path, join(folder, 'lock'));
    expect(holdLock(join(folder, 'lock'))).toBe('not-possible');
    expect(free(path)).toBe(true);
  });
});
