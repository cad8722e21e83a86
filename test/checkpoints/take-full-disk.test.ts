import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readSnapshots } from '../../src/checkpoints/store/read-snapshots.ts';
import { takeSnapshot } from '../../src/checkpoints/take/take-snapshot.ts';
import { filesOnDisk, savedFiles, takenOf, testStore } from '../support/checkpoint-store.ts';
import { CAN_MOUNT, mountDisk } from '../support/small-disk.ts';
import { tempDir } from '../support/temp-dir.ts';

it.skipIf(!CAN_MOUNT)(
  'says that the disk of the store is full, lists nothing half saved, and goes on when there is room',
  async () => {
    const dir = tempDir();
    const home = join(dir, 'home');
    const workdir = join(dir, 'project');
    mkdirSync(workdir);
    onTestFinished(mountDisk(home, '3m'));
    const store = await testStore(dir);
    writeFileSync(join(workdir, 'small'), 'one');
    const { id } = takenOf(await takeSnapshot(store, { workdir }));
    for (let at = 0; at < 8; at += 1) writeFileSync(join(workdir, `f${at}`), randomBytes(500_000));
    await expect(takeSnapshot(store, { workdir })).rejects.toMatchObject({
      message: expect.stringContaining('no space left'),
      hint: expect.stringContaining('coppice checkpoints prune'),
    });
    const { checkpoints, problems } = await readSnapshots(store);
    expect([checkpoints.map((checkpoint) => checkpoint.id), problems]).toEqual([[id], []]);
    for (let at = 0; at < 7; at += 1) rmSync(join(workdir, `f${at}`));
    const after = takenOf(await takeSnapshot(store, { workdir }));
    expect(await savedFiles(store, after.id)).toEqual(filesOnDisk(workdir));
  },
);
