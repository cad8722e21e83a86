import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { boundsStore } from '../../test/support/checkpoint-bounds.ts';
import { takenOf } from '../../test/support/checkpoint-store.ts';
import { manualClock, NOW } from '../../test/support/clock.ts';
import { oddGit } from '../../test/support/odd-git.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import type { Checkpoint } from '../core/retention/checkpoint.ts';
import { DAY_MS } from '../core/time.ts';
import { readSnapshots } from './store/read-snapshots.ts';
import type { CheckpointStore } from './store/open-store.ts';
import { takeSnapshot } from './take/take-snapshot.ts';

let store: CheckpointStore;
let workdir: string;
const clock = manualClock(NOW);

beforeEach(async () => {
  const dir = tempDir();
  workdir = join(dir, 'work');
  mkdirSync(workdir);
  clock.set(NOW);
  store = await boundsStore(dir, clock);
});

async function take(content: string): Promise<Checkpoint> {
  writeFileSync(join(workdir, 'file'), content);
  return takenOf(await takeSnapshot(store, { workdir }));
}

describe('a take', () => {
  it('comes after the one before it also within the same instant, and believes a clock that was set back for long', async () => {
    const taken = [await take('one'), await take('two'), await take('three')];
    expect(taken.map(({ takenAt }) => takenAt)).toEqual([NOW, NOW + 1, NOW + 2]);
    const { checkpoints } = await readSnapshots(store);
    expect(checkpoints.map(({ id }) => id)).toEqual(taken.map(({ id }) => id).toReversed());
    clock.set(NOW - DAY_MS);
    expect((await take('four')).takenAt).toBe(NOW - DAY_MS);
  });

  it('saves what one before it had read and could not save', async () => {
    await take('one');
    {
      using _failing = oddGit('commit-tree', 'exit 1');
      await expect(take('two')).rejects.toThrow();
    }
    const { checkpoints } = await readSnapshots(store);
    expect(checkpoints).toHaveLength(1);
    // The index knows the new content by now, and the record of the project says that it is not to be trusted.
    expect(takenOf(await takeSnapshot(store, { workdir })).tree).not.toBe(checkpoints[0]?.tree);
  });
});
