import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { rawZstd } from '../../../test/support/raw-zstd.ts';
import { linesOfZstd, readZstdBeginning } from './read-zstd-lines.ts';

function put(content: Uint8Array): string {
  const path = join(tempDir(), 'some.jsonl.zst');
  writeFileSync(path, content);
  return path;
}

async function linesIn(path: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of linesOfZstd(path)) lines.push(...batch.lines.map(String));
  return lines;
}

describe('a file that was compressed with zstd', () => {
  const many = Array.from({ length: 20_000 }, (_, at) => `line ${at}`);

  it('has the lines that it had before', async () => {
    expect(await linesIn(put(rawZstd(`${many.join('\n')}\n`)))).toEqual(many);
  });

  it('is read no further than its beginning is asked for', () => {
    const whole = rawZstd(`${many.join('\n')}\n`);
    const path = put(Buffer.concat([whole.subarray(0, whole.length - 40_000), Buffer.alloc(40_000, 0xff)]));
    const text = readZstdBeginning(path, 1000).toString();
    expect(text.startsWith('line 0\nline 1\n')).toBe(true);
    expect(text.length).toBeLessThan(150_000);
  });

  it('is said to be damaged where it is cut off, or something else', async () => {
    const whole = rawZstd(`${many.join('\n')}\n`);
    for (const bytes of [whole.subarray(0, whole.length - 20), Buffer.from('no such format')]) {
      const path = put(bytes);
      await expect(linesIn(path)).rejects.toThrow('cut off or damaged');
      expect(() => readZstdBeginning(path, 1e9)).toThrow('cut off or damaged');
    }
  });
});
