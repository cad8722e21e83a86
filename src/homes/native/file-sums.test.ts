import { describe, expect, it } from 'vitest';
import { fileSums } from './file-sums.ts';

const blocks = (sizeBytes: number) => Math.ceil(sizeBytes / 4096) * 4096;

describe('the sums of files by directory', () => {
  it('adds up what is in each, and knows what is left', () => {
    const sums = fileSums();
    const file = (path: string, kind: 'transcript' | 'dump', sizeBytes: number, modifiedAt: number) =>
      sums.add({ path, kind, sizeBytes, diskBytes: blocks(sizeBytes), modifiedAt, mode: 0o600 });
    file('aa/one/transcript.jsonl', 'transcript', 5000, 5);
    file('aa/one/dumps/1.json', 'dump', 7, 9);
    file('bb/two/transcript.jsonl', 'transcript', 3, 1);
    const folder = { diskBytes: 512, modifiedAt: 20, mode: 0o700 };
    sums.add({ kind: 'session-dir', path: 'aa/one', ...folder, modifiedAt: 3 });
    sums.add({ kind: 'folder', path: 'aa/one/dumps', ...folder });
    sums.add({ kind: 'folder', path: 'aa/one/other', ...folder });
    const one = { transcript: 8192, dumps: 4096 + 512, other: 1024, contentBytes: 5007, newestAt: 9 };
    expect(sums.take('aa/one')).toMatchObject(one);
    expect(sums.take('cc/none')).toMatchObject({ transcript: 0, dumps: 0, other: 0 });
    expect([...sums.directories()]).toHaveLength(1);
  });

  it('grows with the number of directories', () => {
    const sums = fileSums();
    for (let number = 0; number < 3000; number += 1) {
      const path = `aa/${number}/transcript.jsonl`;
      sums.add({ path, kind: 'transcript', sizeBytes: 1, diskBytes: number, modifiedAt: number, mode: 0o600 });
    }
    expect(sums.take('aa/2999')).toMatchObject({ transcript: 2999 });
    expect([...sums.directories()]).toHaveLength(2999);
  });
});
