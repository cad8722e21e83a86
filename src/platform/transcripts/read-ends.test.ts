import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { readEnds } from './read-ends.ts';

function fileOf(text: string): string {
  const path = join(tempDir(), 'chat.jsonl');
  writeFileSync(path, text);
  return path;
}

const line = (n: number) => `{"n":${n}}\n`;
const numbers = (path: string, bytes?: number) => readEnds(path, bytes).lines.map((object) => object['n']);

describe('the ends of a file of JSON lines', () => {
  it('are the whole file where it is short, without what is no object', () => {
    expect(numbers(fileOf(`${line(1)}[2]\nbroken\n\n${line(3)}{"n":4`))).toEqual([1, 3]);
    expect(numbers(fileOf(''))).toEqual([]);
  });

  it('are whole lines of the beginning and of the end, and nothing between them', () => {
    const lines = Array.from({ length: 100 }, (_, n) => line(n)).join('');
    expect(numbers(fileOf(lines), 20)).toEqual([0, 1, 98, 99]);
    expect(readEnds(fileOf(lines), 20).whole).toBe(false);
    expect(readEnds(fileOf(lines), lines.length / 2)).toMatchObject({ whole: true, lines: { length: 100 } });
  });

  it('take no more memory for a file of two gigabytes', () => {
    const path = fileOf(line(1));
    truncateSync(path, 2 ** 31);
    expect(numbers(path)).toEqual([1]);
  });

  it('never wait at a pipe', () => {
    const path = join(tempDir(), 'pipe');
    execFileSync('mkfifo', [path]);
    expect(() => readEnds(path)).toThrow(/is not a file, but a pipe/);
  });
});
