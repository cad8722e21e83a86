import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { TORTURE } from '../support/campaign.ts';
import { startWorker, type Worker, wrongInStore } from '../support/checkpoint-storm.ts';
import { tempDir } from '../support/temp-dir.ts';

/** It lasts until so much was done, however long a busy machine takes for it, and ten times as much in a long run. */
const PART = TORTURE ? 10 : 1;
const ENOUGH = { taken: 250 * PART, pruned: 80 * PART };
const TIMEOUT_MS = 300_000 * PART;

describe('eight processes that take checkpoints while another prunes and reclaims without a pause', () => {
  it(
    'never fail, and every checkpoint that is listed at the end is whole',
    async () => {
      const dir = tempDir();
      const pruner = startWorker(dir, { role: 'prune', name: 0 });
      await pruner.ready;
      const writers = Array.from({ length: 8 }, (_, name) => startWorker(dir, { role: 'write', name }));
      await Promise.all(writers.map(({ ready }) => ready));
      const count = (workers: readonly Worker[]) => {
        const lines = workers.flatMap((worker) => worker.lines);
        const sum = (of: 'pruned' | 'freedBytes') => lines.reduce((total, line) => total + (line[of] ?? 0), 0);
        const taken = lines.filter((line) => line.taken !== undefined).length;
        return {
          taken,
          pruned: sum('pruned'),
          freedBytes: sum('freedBytes'),
          failed: lines.flatMap(({ failed }) => failed ?? []),
        };
      };
      const isEnough = () => {
        const { taken, pruned, freedBytes, failed } = count([pruner, ...writers]);
        return failed.length > 0 || (taken >= ENOUGH.taken && pruned >= ENOUGH.pruned && freedBytes > 0);
      };
      // Much is taken, and much of that removed and reclaimed: it is a storm.
      await expect.poll(isEnough, { timeout: TIMEOUT_MS, interval: 200 }).toBe(true);
      for (const { child } of [pruner, ...writers]) child.stdin?.end('stop\n');
      await Promise.all([pruner, ...writers].map(({ ended }) => ended));
      expect(count([pruner, ...writers]).failed).toEqual([]);
      expect(await wrongInStore(dir, { contents: true })).toEqual([]);
      await using home = await openHome({ path: join(dir, 'home'), env: {} });
      expect((await home.checkpoints.verify()).problems).toEqual([]);
    },
    TIMEOUT_MS + 240_000,
  );
});
