import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { removeAdviceFile } from '../../src/gateway/run/advice-file.ts';
import { moveEntry } from '../../src/platform/files/move-entry.ts';
import { removeTree } from '../../src/platform/files/remove-tree.ts';
import { removeLeftovers } from '../../src/platform/leftovers/remove-leftovers.ts';
import { beforeCall } from '../support/before-call.ts';
import { campaignSize } from '../support/campaign.ts';
import { nameOfTheDead } from '../support/dead-process.ts';
import { tempDir } from '../support/temp-dir.ts';

describe.skipIf(process.platform !== 'linux')(
  'a folder that is swapped for a link while something is at work in it',
  () => {
    let root: string;
    let left = 0;
    const at = (...names: string[]) => join(root, ...names);

    beforeEach(() => {
      root = tempDir();
      mkdirSync(at('outside', 'inner'), { recursive: true });
      for (const name of CANARIES) writeFileSync(at('outside', name), 'not yours');
    });

    function makeTree(name = 'trash'): void {
      mkdirSync(at('home', 'draft', 'inner'), { recursive: true });
      for (const file of ['one', 'two']) writeFileSync(at('home', 'draft', 'inner', file), 'ours');
      // Out of the way as it is: removing it here could meet a link just as well.
      if (existsSync(at('home', name))) renameSync(at('home', name), at(`left-${(left += 1)}`));
      renameSync(at('home', 'draft'), at('home', name));
    }

    const canaries = () => CANARIES.filter((name) => existsSync(at('outside', name)));

    function swap(path: string): void {
      renameSync(path, `${path}-moved`);
      symlinkSync(at('outside'), path);
    }

    it.each(['trash/inner', 'trash'])('removes nothing behind a link that came after the look, at %s', async (name) => {
      makeTree();
      await beforeCall('promises.unlink', () => swap(at('home', name)), {
        act: () => removeTree(at('home'), at('home', 'trash')).catch(() => 0),
      });
      expect(canaries()).toEqual(CANARIES);
    });

    it('removes nothing of another folder that took the place of the one that was looked at', async () => {
      makeTree();
      mkdirSync(at('home', 'trash', 'zone'));
      const take = () => {
        renameSync(at('home', 'trash', 'zone'), at('zone-moved'));
        renameSync(at('outside'), at('home', 'trash', 'zone'));
      };
      await beforeCall('promises.unlink', take, {
        act: () => expect(removeTree(at('home'), at('home', 'trash'))).rejects.toThrow('was not removed'),
      });
      expect(readdirSync(at('home', 'trash', 'zone'))).toEqual(['inner', 'one', 'two']);
    });

    it('moves nothing out of a folder behind a link that came after the look', async () => {
      makeTree();
      mkdirSync(at('home', 'to'));
      await beforeCall('renameSync', () => swap(at('home', 'trash', 'inner')), {
        act: () => moveEntry(at('home'), at('home', 'trash', 'inner', 'one'), at('home', 'to', 'one')),
      });
      expect(canaries()).toEqual(CANARIES);
    });

    it.each([
      ['a tree', 'trash', () => removeTree(at('home'), at('home', 'trash'))],
      ['what a dead process left', nameOfTheDead(), async () => removeLeftovers(at('home'))],
      ['the advice of a run', ADVICE, async () => removeAdviceFile(at('home', ADVICE, 'advice.jsonl'))],
    ])('removes nothing outside with %s, beside a process that swaps without end', async (_, name, remove) => {
      const swapper = spawn(process.execPath, ['-e', SWAPPER, at('home', name, 'inner'), at('outside')], {
        stdio: 'pipe',
      });
      try {
        await once(swapper.stdout, 'data');
        for (let round = 0; round < campaignSize({ usual: 60, torture: 20_000 }); round += 1) {
          makeTree(name);
          await remove().catch(() => 0);
        }
      } finally {
        swapper.kill('SIGKILL');
        await once(swapper, 'exit');
      }
      expect(canaries()).toEqual(CANARIES);
    });
  },
);

const ADVICE = nameOfTheDead('coppice-advice');
const CANARIES = ['one', 'two', 'inner/one', 'inner/two'];

const SWAPPER = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
const [, path, outside] = process.argv;
const quietly = (act) => { try { act(); } catch {} };
process.stdout.write('.');
for (;;) {
  quietly(() => { renameSync(path, path + '-aside'); symlinkSync(outside, path); });
  quietly(() => { unlinkSync(path); });
  quietly(() => { renameSync(path + '-aside', path); });
}`;
