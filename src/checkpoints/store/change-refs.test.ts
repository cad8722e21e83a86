import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { takenOf, testStore } from '../../../test/support/checkpoint-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { Checkpoint } from '../../core/retention/checkpoint.ts';
import { gitMark } from '../../platform/git/git-at-work.ts';
import { takeSnapshot } from '../take/take-snapshot.ts';
import { changeRefs } from './change-refs.ts';
import type { CheckpointStore } from './open-store.ts';
import { keepRef, pinRef, snapshotRef } from './store-layout.ts';
import { readRefs } from './store-refs.ts';

let store: CheckpointStore;
let checkpoint: Checkpoint;

beforeEach(async () => {
  const dir = tempDir();
  const workdir = join(dir, 'work');
  mkdirSync(workdir);
  writeFileSync(join(workdir, 'file'), 'content');
  store = await testStore(dir);
  checkpoint = takenOf(await takeSnapshot(store, { workdir }));
});

function lock(name: string): string {
  const path = join(store.layout.gitDir, `${name}.lock`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  return path;
}

describe('changeRefs', () => {
  it('removes the locks of a dead git on whatever it changes, only looks at, or shares with all', async () => {
    const { id, projectId } = checkpoint;
    const locks = [keepRef('run', 'target'), pinRef(id), snapshotRef(projectId, id), 'packed-refs'].map(lock);
    await changeRefs(store, [
      `create ${keepRef('run', 'target')} ${id}`,
      `verify ${pinRef(id)} ${'0'.repeat(40)}`,
      `delete ${snapshotRef(projectId, id)} ${id}`,
    ]);
    expect([...(await readRefs(store.layout)).keys()]).toEqual([keepRef('run', 'target')]);
    expect(locks.filter(existsSync)).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'leaves the lock of a git that lives after its process, and says so',
    async () => {
      const held = lock(pinRef(checkpoint.id));
      const orphan = startMarked('update-ref');
      await expect(changeRefs(store, [`update ${pinRef(checkpoint.id)} ${checkpoint.id}`])).rejects.toMatchObject({
        code: 'locked',
      });
      expect(existsSync(held)).toBe(true);
      orphan.kill('SIGKILL');
      await once(orphan, 'close');
      await changeRefs(store, [`update ${pinRef(checkpoint.id)} ${checkpoint.id}`]);
      expect((await readRefs(store.layout)).get(pinRef(checkpoint.id))).toBe(checkpoint.id);
    },
  );

  it('says in a sentence of ours what git refuses, and leaves no lock', async () => {
    const ref = pinRef(checkpoint.id);
    await expect(changeRefs(store, [`delete ${ref} ${checkpoint.id}`])).rejects.toMatchObject({
      code: 'failed',
      message: expect.not.stringContaining('update-ref'),
      hint: expect.stringContaining('Run the same command again'),
    });
    expect(existsSync(join(store.layout.gitDir, `${ref}.lock`))).toBe(false);
  });
});

/** Something that says of itself to be such a git in this store. */
function startMarked(command: string): ChildProcess {
  const env = { ...process.env, ...gitMark(store.layout.gitDir, command) };
  const child = spawn('sleep', ['60'], { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
