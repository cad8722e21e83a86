import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../../../../test/support/temp-dir.ts';
import { KEEP_REASON } from '../../../../platform/git/copy-git-objects.ts';
import { dropKeeps, dropShortcuts } from './pack-files.ts';

const FILES = ['commit-graph', 'pack-1.bitmap', 'pack-1.keep', 'pack-1.pack', 'pack-2.keep'];

describe('the files beside the packs of a repository', () => {
  let gitDir: string;
  let outside: string;
  beforeEach(() => {
    gitDir = tempDir();
    outside = join(gitDir, 'outside');
    mkdirSync(join(gitDir, 'objects'));
    mkdirSync(outside);
    fill(outside);
  });

  function fill(folder: string): void {
    mkdirSync(folder, { recursive: true });
    for (const name of FILES) writeFileSync(join(folder, name), name === 'pack-1.keep' ? `${KEEP_REASON}\n` : 'mine');
  }

  const packs = () => join(gitDir, 'objects', 'pack');
  const info = () => join(gitDir, 'objects', 'info');

  it('go where they are ours, or only make git quicker', () => {
    for (const folder of [packs(), info()]) fill(folder);
    dropKeeps(gitDir);
    expect(readdirSync(packs())).toEqual(FILES.filter((name) => name !== 'pack-1.keep'));
    dropShortcuts(gitDir);
    expect(readdirSync(packs())).toEqual(['commit-graph', 'pack-1.pack', 'pack-2.keep']);
    expect(readdirSync(info())).toEqual(FILES.filter((name) => name !== 'commit-graph'));
  });

  it('stay where a link leads to them', () => {
    for (const folder of [packs(), info()]) symlinkSync(outside, folder);
    for (const drop of [dropKeeps, dropShortcuts]) expect(() => drop(gitDir)).toThrow('is a link or no folder');
    expect(readdirSync(outside)).toEqual(FILES);
  });

  it('are not read through a link to find out whose they are', () => {
    fill(packs());
    symlinkSync(join(outside, 'pack-1.keep'), join(packs(), 'pack-3.keep'));
    dropKeeps(gitDir);
    expect(readdirSync(packs())).toContain('pack-3.keep');
  });
});
