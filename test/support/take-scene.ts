import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readSnapshots } from '../../src/checkpoints/store/read-snapshots.ts';
import type { CheckpointStore, TakeLimits } from '../../src/checkpoints/store/open-store.ts';
import { takeSnapshot } from '../../src/checkpoints/take/take-snapshot.ts';
import { runGit } from '../../src/platform/git/run-git.ts';
import { filesOnDisk, savedFiles, takenOf, testStore } from './checkpoint-store.ts';
import { tempDir } from './temp-dir.ts';

export interface TakeScene {
  readonly dir: string;
  readonly store: CheckpointStore;
  readonly workdir: string;
  /** Writes a file of the project and makes the folders above it. */
  readonly write: (path: string | Buffer, content: string | Buffer) => void;
}

/** An empty project and a store for its checkpoints. */
export async function takeScene(limits: Partial<TakeLimits> = {}): Promise<TakeScene> {
  const dir = tempDir();
  const workdir = join(dir, 'project');
  mkdirSync(workdir);
  const write = (path: string | Buffer, content: string | Buffer) => {
    const full = Buffer.concat([Buffer.from(`${workdir}/`), Buffer.from(path)]);
    mkdirSync(full.subarray(0, full.lastIndexOf('/')), { recursive: true });
    writeFileSync(full, content);
  };
  return { dir, store: await testStore(dir, limits), workdir, write };
}

/** Takes one and compares every byte of it with the disk. */
export async function takeExactly({ store, workdir }: Pick<TakeScene, 'store' | 'workdir'>): Promise<string> {
  const { id } = takenOf(await takeSnapshot(store, { workdir }));
  expect(await savedFiles(store, id)).toEqual(filesOnDisk(workdir));
  return id;
}

/** Every ref leads to whole trees, and every listed checkpoint can be read back. */
export async function expectSound(store: CheckpointStore): Promise<void> {
  const place = { gitDir: store.layout.gitDir };
  const { stdout } = await runGit(place, ['fsck', '--connectivity-only', '--no-dangling']);
  expect(stdout.toString()).not.toMatch(/missing|broken/);
  const { checkpoints, problems } = await readSnapshots(store);
  expect(problems).toEqual([]);
  for (const { id, fileCount } of checkpoints) expect((await savedFiles(store, id)).size).toBe(fileCount);
}
