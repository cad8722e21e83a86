import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { startWorker, wrongInStore } from '../support/checkpoint-storm.ts';
import { checkpointUsage } from '../support/disk-usage.ts';
import { tempDir } from '../support/temp-dir.ts';

const SECONDS = process.env['COPPICE_TORTURE'] === undefined ? 6 : 120;
const MB = 1024 * 1024;
const SETTINGS = [
  { key: 'disk.ballast_mb', value: 'never' },
  { key: 'checkpoints.max_total_size_mb', value: '3' },
];

/** Whole, within the cap, and good for a restore of every file. */
async function expectWell(dir: string): Promise<void> {
  await using home = await openHome({ path: join(dir, 'home'), env: {}, settings: SETTINGS });
  await home.checkpoints.keepBounded({ now: true });
  expect(checkpointUsage(home.path)).toBeLessThan(3 * MB * 1.25);
  expect((await home.checkpoints.verify()).problems).toEqual([]);
  expect(await wrongInStore(dir, { contents: true })).toEqual([]);
  const workdir = join(dir, 'after');
  const file = join(workdir, 'file');
  mkdirSync(workdir);
  writeFileSync(file, 'before');
  const taken = await home.checkpoints.take({ workdir });
  writeFileSync(file, 'after');
  await home.checkpoints.restore('checkpoint' in taken ? taken.checkpoint.id : '');
  expect(readFileSync(file, 'utf8')).toBe('before');
}

describe('processes that take checkpoints far beyond the cap, each with a pass in the background', () => {
  it(
    'lose nothing of what is listed, and together stay within it',
    async () => {
      const dir = tempDir();
      const workers = [0, 1, 2, 3].map((name) => startWorker(dir, { role: 'bounded', name }));
      await Promise.all(workers.map(({ ready }) => ready));
      await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
      for (const { child } of workers) child.stdin?.end('stop\n');
      await Promise.all(workers.map(({ ended }) => ended));
      const lines = workers.flatMap((worker) => worker.lines);
      expect(lines.flatMap(({ failed }) => failed ?? [])).toEqual([]);
      const taken = lines.flatMap(({ taken: id }) => id ?? []);
      await expectWell(dir);
      await using home = await openHome({ path: join(dir, 'home'), env: {}, settings: SETTINGS });
      // Much more was taken than fits.
      expect(taken.length).toBeGreaterThan((await home.checkpoints.list()).length);
    },
    (SECONDS + 120) * 1000,
  );

  it('are mended after a kill at any step', async () => {
    const dir = tempDir();
    const fill = startWorker(dir, { role: 'bounded', name: 0, killAt: 250 });
    await fill.ended;
    for (let kill = 0; kill < 12; kill += 1) {
      const worker = startWorker(dir, { role: 'bounded', name: kill % 3, killAt: 5 + ((kill * 13) % 61) });
      await worker.ended;
      expect(worker.child.signalCode).toBe('SIGKILL');
      expect(worker.lines.flatMap(({ failed }) => failed ?? [])).toEqual([]);
    }
    await expectWell(dir);
  }, 300_000);
});
