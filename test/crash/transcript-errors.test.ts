import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { createCrashChecker } from '../support/crash-checker.ts';
import { runWriter } from '../support/run-writer.ts';
import { STRACE_WORKS, strace } from '../support/strace.ts';
import { tempDir } from '../support/temp-dir.ts';

describe.skipIf(!STRACE_WORKS)('a transcript that cannot be written', () => {
  it.each([
    ['a full disk', 'pwrite64:error=ENOSPC:when=2..4'],
    ['an error of the disk', 'pwrite64:error=EIO:when=1+3'],
    ['a quota', 'pwrite64:error=EDQUOT:when=3'],
    ['no right to open it', 'openat:error=EACCES:when=2..5'],
    ['too many open files', 'openat:error=EMFILE:when=1..3'],
    ['too many open folders', 'openat:error=EMFILE:when=3..5', true],
    ['a disk that cannot say how long the file is', 'pread64:error=EIO:when=2..3'],
  ])('for %s stops no message, is reported, and catches up', async (_cause, inject, ofHome = false) => {
    const root = tempDir();
    const path = nativeLayout(root).transcript('one');
    const opened = inject.startsWith('openat') ? throughFolders(path) : [path];
    // The home is the first of the folders on the way, and was opened twice before the first message.
    const paths = ofHome ? [root] : opened;
    const under = strace({ calls: inject.split(':', 1), paths, inject });
    const { events, code, stderr } = await runWriter({ root, seed: 3, steps: 30, under });
    expect(code, stderr).toBe(0);
    const problems = new Set(events.flatMap((event) => (event.event === 'ok' ? event.problems : [])));
    expect([...problems]).toEqual(['transcript-not-written']);
    // Everything was acknowledged, so everything must be there; the checker's own append brings the file up to date.
    expect(await createCrashChecker(root).check(events)).toEqual([]);
  });
});

/** It is opened through the open folder that it lies in, whatever number that has. */
function throughFolders(path: string): readonly string[] {
  return Array.from({ length: 100 }, (_, handle) => `/proc/self/fd/${handle}/${basename(path)}`);
}
