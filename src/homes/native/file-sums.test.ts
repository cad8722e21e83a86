import { describe, expect, it } from 'vitest';
import { fileSums } from './file-sums.ts';

describe('the sums of files by directory', () => {
  it('adds up what is in each, and knows what is left', () => {
    const sums = fileSums();
    const file = (path: string, kind: 'transcript' | 'dump', sizeBytes: number, modifiedAt: number) =>
      sums.add({ path, kind, sizeBytes, modifiedAt, mode: 0o600 });
    file('aa/one/transcript.jsonl', 'transcript', 100, 5);
    file('aa/one/dumps/1.json', 'dump', 7, 9);
    file('bb/two/transcript.jsonl', 'transcript', 3, 1);
    expect(sums.take('aa/one')).toMatchObject({ transcript: 100, dumps: 7, other: 0 });
    expect(sums.take('cc/none')).toMatchObject({ transcript: 0, dumps: 0, other: 0 });
    expect([...sums.directories()]).toHaveLength(1);
  });

  it('grows with the number of directories', () => {
    const sums = fileSums();
    for (let number = 0; number < 3000; number += 1) {
      const path = `aa/${number}/transcript.jsonl`;
      sums.add({ path, kind: 'transcript', sizeBytes: number, modifiedAt: number, mode: 0o600 });
    }
    expect(sums.take('aa/2999')).toMatchObject({ transcript: 2999 });
    expect([...sums.directories()]).toHaveLength(2999);
  });
});
