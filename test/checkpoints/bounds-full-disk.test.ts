import { readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCheckpointDriver } from '../../src/checkpoints/checkpoint-driver.ts';
import { reachableObjects } from '../../src/checkpoints/reclaim/reachable-objects.ts';
import { lastFailure } from '../../src/checkpoints/reclaim/reclaim-memory.ts';
import { writePack } from '../../src/checkpoints/reclaim/reclaim-packs.ts';
import { reclaimStore } from '../../src/checkpoints/reclaim/reclaim-store.ts';
import { verifyStore } from '../../src/checkpoints/reclaim/verify-store.ts';
import type { Checkpoint } from '../../src/core/retention/checkpoint.ts';
import { addSnapshot, boundsStore, noise, runItem } from '../support/checkpoint-bounds.ts';
import { CAN_MOUNT, smallDisk } from '../support/small-disk.ts';

const TIGHT = { graceMs: -1000, maxBytes: 1 };

describe.skipIf(!CAN_MOUNT)('a checkpoint store on a full disk', () => {
  let disk: string;

  beforeEach(() => {
    disk = smallDisk('24m');
  });

  function fillUp(leaveBytes: number): void {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes)));
  }

  async function scene(count: number) {
    const store = await boundsStore(disk);
    const checkpoints: Checkpoint[] = [];
    for (let index = 0; index < count; index += 1) {
      const files = Object.fromEntries(
        Array.from({ length: 20 }, (_, at) => [`f${at}`, noise(`${index} ${at}`, 5000)]),
      );
      checkpoints.push(await addSnapshot(store, { workdir: join(disk, 'p'), takenAt: index, files }));
    }
    return { store, checkpoints };
  }

  it('gives the bytes of what nothing needs back, although nothing can be written', async () => {
    const { store, checkpoints } = await scene(6);
    const driver = createCheckpointDriver(store);
    const items = checkpoints.slice(0, 4).map((one, index) => runItem(one, index + 1));
    await driver.discard('run', items);
    await driver.purge('run', items);
    fillUp(0);
    expect(await reclaimStore(store, TIGHT)).toBeGreaterThan(200_000);
    const { checkpoints: left, problems } = await verifyStore(store);
    expect([left, problems]).toEqual([2, []]);
  });

  it('loses nothing and leaves no debris when a pack runs out of space half way', async () => {
    const { store, checkpoints } = await scene(8);
    const lines = [...(await reachableObjects(store.layout)).values()];
    fillUp(100_000);
    await expect(writePack(store.layout, lines)).rejects.toThrow('git pack-objects failed');
    expect(readdirSync(join(store.layout.objects, 'pack'))).toEqual([]);
    // It does not even try where it sees that there is no room.
    expect(await reclaimStore(store, TIGHT)).toBe(0);
    expect(lastFailure(store.layout)).toEqual([]);
    const { checkpoints: left, problems } = await verifyStore(store);
    expect([left, problems]).toEqual([checkpoints.length, []]);
  });
});
