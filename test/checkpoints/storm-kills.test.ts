import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { startWorker, wrongInStore } from '../support/checkpoint-storm.ts';
import { unknownFiles } from '../support/known-files.ts';
import { tempDir } from '../support/temp-dir.ts';

/** In each of two lanes, one for each core of a small machine. */
const KILLS = process.env['COPPICE_TORTURE'] === undefined ? 16 : 400;

describe('a process that takes, prunes and reclaims, killed at one step after the other', () => {
  it('leaves a store in which nothing is lost that was listed', async () => {
    const dir = tempDir();
    await Promise.all([0, 1].map((lane) => killAndCheck(join(dir, String(lane)), lane)));
  }, 3_600_000);
});

async function killAndCheck(dir: string, lane: number): Promise<void> {
  mkdirSync(dir);
  const taken = new Set<string>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    // The two lanes share out the steps of a round, and later rounds find what earlier ones left.
    const worker = startWorker(dir, { role: 'both', name: kill % 3, killAt: 1 + (((2 * kill + lane) * 11) % 67) });
    await worker.ended;
    expect(worker.child.signalCode).toBe('SIGKILL');
    expect(worker.lines.flatMap(({ failed }) => failed ?? [])).toEqual([]);
    for (const { taken: id } of worker.lines) if (id !== undefined) taken.add(id);
    if (kill % 5 === 0) expect(await wrongInStore(dir, { contents: false })).toEqual([]);
  }
  await using home = await openHome({ path: join(dir, 'home'), env: {} });
  const retention = await home.retention();
  await retention.settle();
  expect(await wrongInStore(dir, { contents: true })).toEqual([]);
  expect((await home.checkpoints.verify()).problems).toEqual([]);
  expect(unknownFiles(join(dir, 'home'))).toEqual([]);
  const known = new Set((await home.checkpoints.list()).map(({ id }) => id));
  for await (const run of retention.runs()) {
    for await (const { item, state } of retention.items(run.id)) {
      if (state === 'purged' || state === 'purging' || state === 'trashed') known.add(item.id);
    }
  }
  expect([...taken].filter((id) => !known.has(id))).toEqual([]);
  expect(taken.size).toBeGreaterThan(10);
}
