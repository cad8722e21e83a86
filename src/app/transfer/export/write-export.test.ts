import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { writeExport } from './write-export.ts';

let dir: string;

beforeEach(() => {
  dir = tempDir();
});

describe('writeExport', () => {
  it('writes everything to a file that only its owner can read', async () => {
    const path = join(dir, 'out.jsonl');
    const chunk = 'äöü 🌱'.repeat(20_000);
    const { sizeBytes } = await writeExport(path, chunks(chunk, '', chunk));
    expect(readFileSync(path, 'utf8')).toBe(chunk + chunk);
    expect(sizeBytes).toBe(statSync(path).size);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['out.jsonl']);
  });

  it('replaces an existing file only on request', async () => {
    const path = join(dir, 'out.md');
    writeFileSync(path, 'old');
    await expect(writeExport(path, chunks('new'))).rejects.toMatchObject({ code: 'refused' });
    expect(readFileSync(path, 'utf8')).toBe('old');
    await writeExport(path, chunks('new'), { overwrite: true });
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  it('leaves nothing behind when the export fails half-way', async () => {
    const path = join(dir, 'out.md');
    writeFileSync(path, 'old');
    await expect(writeExport(path, failing(), { overwrite: true })).rejects.toThrow('half-way');
    expect(readdirSync(dir)).toEqual(['out.md']);
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  it('says so when the folder does not exist', async () => {
    await expect(writeExport(join(dir, 'no/where.md'), chunks('x'))).rejects.toMatchObject({ code: 'usage' });
  });
});

async function* chunks(...texts: readonly string[]) {
  yield* texts;
}

async function* failing() {
  yield 'x'.repeat(100_000);
  throw new Error('half-way');
}
