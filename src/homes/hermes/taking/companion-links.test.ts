import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { openLinks } from '../../../keeping/kept-links.ts';
import { openTombstones } from '../database/tombstones.ts';

const LINK = JSON.stringify({ child: 'c', parent: 'p' });

describe('books of a Hermes home whose folder is a link', () => {
  let home: string;
  let outside: string;
  beforeEach(() => {
    const root = tempDir();
    home = join(root, 'home');
    outside = join(root, 'outside');
    for (const folder of [home, outside]) mkdirSync(folder);
    writeFileSync(join(outside, 'no-tombstones'), 'not ours');
    writeFileSync(join(outside, 'links.jsonl'), `${LINK}\n`);
    symlinkSync(outside, join(home, '.coppice'));
  });

  function expectUntouched(): void {
    expect(readdirSync(outside).toSorted()).toEqual(['links.jsonl', 'no-tombstones']);
    expect(readFileSync(join(outside, 'no-tombstones'), 'utf8')).toBe('not ours');
    expect(readFileSync(join(outside, 'links.jsonl'), 'utf8')).toBe(`${LINK}\n`);
  }

  it('are not touched behind it: tombstones', async () => {
    const path = join(home, '.coppice', 'no-tombstones');
    expect(() => openTombstones(home, path).expect()).toThrow('is a link');
    await expect(openTombstones(home, path).clear({ mergeAll: async () => undefined })).rejects.toThrow('is a link');
    expectUntouched();
  });

  it('are not touched behind it: links of sessions', () => {
    expect(() => openLinks(home, join(home, '.coppice', 'links.jsonl'))).toThrow('is a link');
    expectUntouched();
  });

  it('are not added to through a link in place of the file', () => {
    const path = join(home, 'own', 'links.jsonl');
    mkdirSync(join(home, 'own'));
    symlinkSync(join(outside, 'links.jsonl'), path);
    expect(() => openLinks(home, path).add([{ child: 'a', parent: 'b' }])).toThrow();
    expectUntouched();
  });
});
