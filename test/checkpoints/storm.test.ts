import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { startWorker, wrongInStore } from '../support/checkpoint-storm.ts';
import { tempDir } from '../support/temp-dir.ts';

const SECONDS = process.env['COPPICE_TORTURE'] === undefined ? 60 : 300;

describe('eight processes that take checkpoints while another prunes and reclaims without a pause', () => {
  it(
    'never fail, and every checkpoint that is listed at the end is whole',
    async () => {
      const dir = tempDir();
      const pruner = startWorker(dir, { role: 'prune', name: 0 });
      await pruner.ready;
      const writers = Array.from({ length: 8 }, (_, name) => startWorker(dir, { role: 'write', name }));
      await Promise.all(writers.map(({ ready }) => ready));
      await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
      for (const { child } of [pruner, ...writers]) child.stdin?.end('stop\n');
      await Promise.all([pruner, ...writers].map(({ ended }) => ended));
      const lines = [pruner, ...writers].flatMap((worker) => worker.lines);
      expect(lines.flatMap(({ failed }) => failed ?? [])).toEqual([]);
      expect(await wrongInStore(dir, { contents: true })).toEqual([]);
      await using home = await openHome({ path: join(dir, 'home'), env: {} });
      expect((await home.checkpoints.verify()).problems).toEqual([]);
      // It was a storm: much was taken, and much of that removed and reclaimed.
      const sum = (of: 'pruned' | 'freedBytes') => lines.reduce((total, line) => total + (line[of] ?? 0), 0);
      expect(lines.filter(({ taken }) => taken !== undefined).length).toBeGreaterThan(30);
      expect(sum('pruned')).toBeGreaterThan(10);
      expect(sum('freedBytes')).toBeGreaterThan(0);
    },
    (SECONDS + 240) * 1000,
  );
});
