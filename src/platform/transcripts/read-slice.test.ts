import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { readSlice } from './read-slice.ts';

describe('a part of a file', () => {
  it('is at most as long as asked, from either end', () => {
    const path = join(tempDir(), 'file');
    writeFileSync(path, '0123456789');
    expect(readSlice(path, { bytes: 3 })).toEqual({ text: '012', sizeBytes: 10 });
    expect(readSlice(path, { from: 'end', bytes: 3 })).toEqual({ text: '789', sizeBytes: 10 });
    expect(readSlice(path, { from: 'end', bytes: 99 })).toEqual({ text: '0123456789', sizeBytes: 10 });
  });

  it('is never waited for at a pipe, and never read through a link', () => {
    const folder = tempDir();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(() => readSlice(join(folder, 'pipe'), { bytes: 1 })).toThrow(/is not a file, but a pipe/);
    symlinkSync('/etc/hostname', join(folder, 'link'));
    expect(() => readSlice(join(folder, 'link'), { bytes: 1 })).toThrow(/is not a file, but a link/);
  });
});
