import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { STRACE_WORKS, strace } from '../../test/support/strace.ts';
import { tempDir } from '../../test/support/temp-dir.ts';

const WORKER = fileURLToPath(new URL('../../test/support/write-once.js', import.meta.url));

describe.skipIf(!STRACE_WORKS)('writeFileAtomic, as the system sees it', () => {
  it('brings the content to the disk before the file gets its name, and the name after', () => {
    const dir = tempDir();
    const log = join(tempDir(), 'log');
    const calls = ['write', 'pwrite64', 'fsync', 'fdatasync', 'rename'];
    const [command = '', ...options] = strace({ calls, log });
    const args = [...options, '-y', process.execPath, WORKER, join(dir, 'file')];
    expect(spawnSync(command, args, { env: { ...process.env, UV_USE_IO_URING: '0' } }).status).toBe(0);
    const steps = readFileSync(log, 'utf8')
      .split('\n')
      .flatMap((line) => stepOf(line, dir) ?? []);
    expect(steps).toEqual(['write temporary', 'fsync temporary', 'rename temporary', 'fsync folder']);
    expect(readFileSync(join(dir, 'file'), 'utf8')).toBe('content');
  });
});

/** A call and what it is about, for those that are about this folder. */
function stepOf(line: string, dir: string): string | undefined {
  const [, call = '', path = ''] = /(\w+)\((?:\d+<|")([^>"]*)[>"]/.exec(line) ?? [];
  if (path === dir) return `${call} folder`;
  if (!path.startsWith(`${dir}/`)) return undefined;
  return `${call} ${basename(path).startsWith('.tmp-') ? 'temporary' : 'file'}`;
}
