import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nameOfTheDead, nameOfTheReused } from '../../../test/support/dead-process.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { replaceFile } from '../files/replace-file.ts';
import { removeLeftovers } from './remove-leftovers.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { temporaryName } from './temporary-name.ts';

describe('removeLeftovers', () => {
  it('removes files and folders of the dead, and nothing of the living or of a person', () => {
    const dir = tempDir();
    const others = [temporaryName(), '.tmp-mine', 'tmp', `${nameOfTheDead()}.txt`, nameOfTheDead('.other')];
    for (const name of [nameOfTheDead(), nameOfTheReused(), ...others]) writeFileSync(join(dir, name), '');
    const folder = join(dir, nameOfTheDead());
    mkdirSync(folder);
    writeFileSync(join(folder, 'state.db'), 'a copy');
    removeLeftovers(dir);
    expect(readdirSync(dir).toSorted()).toEqual(others.toSorted());
  });

  it('is not led elsewhere by a link, and asks nothing of a folder that is not there', () => {
    const dir = tempDir();
    const name = nameOfTheDead();
    writeFileSync(join(dir, name), '');
    const link = join(tempDir(), 'link');
    symlinkSync(dir, link);
    removeLeftovers(link);
    removeLeftovers(join(dir, 'missing'));
    expect(readdirSync(dir)).toEqual([name]);
  });

  it('goes before a new file in the same place, and before a new folder of the same kind', () => {
    const dir = tempDir();
    writeFileSync(join(dir, nameOfTheDead()), '');
    replaceFile(join(dir, 'file'), 'content');
    expect(readdirSync(dir)).toEqual(['file']);
    const dead = join(tmpdir(), nameOfTheDead('coppice-test-kind'));
    mkdirSync(dead);
    using folder = temporaryFolder('coppice-test-kind');
    expect([existsSync(dead), existsSync(folder.path)]).toEqual([false, true]);
  });
});
