import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { temporaryName } from '../../src/platform/leftovers/temporary-name.ts';
import { nameOfTheDead } from '../support/dead-process.ts';
import { unknownFiles } from '../support/known-files.ts';
import { tempDir } from '../support/temp-dir.ts';

const PLACES = ['', 'plans', 'archive', 'checkpoints', 'checkpoints/store/projects', 'checkpoints/store/info'];

describe('what dead processes left in a home', () => {
  it('is removed by the next change of it, whatever that is about; what the living are at stays', async () => {
    const root = tempDir();
    const path = join(root, 'home');
    const workdir = join(root, 'work');
    mkdirSync(workdir);
    writeFileSync(join(workdir, 'file'), 'content');
    await using home = await openHome({ path, env: {}, settings: [{ key: 'disk.ballast_mb', value: 'never' }] });
    await home.checkpoints.take({ workdir });
    await home.checkpoints.settled();
    const put = (place: string, name: string) => {
      const file = join(path, place, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'half');
      return file;
    };
    const left = [
      ...PLACES.map((place) => put(place, nameOfTheDead())),
      put(nameOfTheDead(), 'state.db'),
      put('checkpoints/store/work', nameOfTheDead('git')),
      put('checkpoints/store', 'packed-refs.lock'),
    ];
    const living = put('plans', temporaryName());
    const retention = await home.retention();
    await retention.settle();
    expect(left.filter(existsSync)).toEqual([]);
    expect(unknownFiles(path)).toEqual([living.slice(path.length + 1)]);
  });
});
