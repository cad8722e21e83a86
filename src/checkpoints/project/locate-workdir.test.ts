import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { fileId, locateWorkdir } from './locate-workdir.ts';

function scene() {
  const dir = tempDir();
  const above = join(dir, 'above');
  const workdir = join(above, 'project');
  mkdirSync(workdir, { recursive: true });
  return { above, workdir, record: { workdir, parent: fileId(above) } };
}

describe('locateWorkdir', () => {
  it('finds a directory that is there', () => {
    expect(locateWorkdir(scene().record)).toBe('present');
  });

  it('calls it gone when what held it is still there and holds other things', () => {
    const { above, workdir, record } = scene();
    writeFileSync(join(above, 'other'), '');
    rmSync(workdir, { recursive: true });
    expect(locateWorkdir(record)).toBe('gone');
    writeFileSync(workdir, 'a file now');
    expect(locateWorkdir(record)).toBe('gone');
  });

  it('does not call it gone when what held it is empty, missing or another one', () => {
    const { above, workdir, record } = scene();
    rmSync(workdir, { recursive: true });
    expect(locateWorkdir(record)).toBe('unreachable');
    renameSync(above, `${above}-away`);
    expect(locateWorkdir(record)).toBe('unreachable');
    mkdirSync(above);
    writeFileSync(join(above, 'underlay'), '');
    expect(locateWorkdir(record)).toBe('unreachable');
  });
});
