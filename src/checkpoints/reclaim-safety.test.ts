import { execFileSync } from 'node:child_process';
import fs, { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { addSnapshot, boundsStore, noise, runItem } from '../../test/support/checkpoint-bounds.ts';
import { NOW } from '../../test/support/clock.ts';
import { oddGit } from '../../test/support/odd-git.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import type { Checkpoint } from '../core/retention/checkpoint.ts';
import type { SharedLock } from '../core/shared-lock.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import { createCheckpointDriver } from './checkpoint-driver.ts';
import { incompleteOf, reachableObjects } from './reclaim/reachable-objects.ts';
import { lastFailure } from './reclaim/reclaim-memory.ts';
import { isCompleteWithout, packFiles, writePack } from './reclaim/reclaim-packs.ts';
import { planReclaim } from './reclaim/reclaim-plan.ts';
import { reclaimStore } from './reclaim/reclaim-store.ts';
import { changeRefs } from './store/change-refs.ts';
import type { CheckpointStore } from './store/open-store.ts';
import { readProject } from './store/project-book.ts';
import { pinRef, snapshotRef } from './store/store-layout.ts';
import { readRefs } from './store/store-refs.ts';
import { readStoreSize } from './store/store-size.ts';

// Each check that stands between a reclaim and a lost history, on its own: where two look at the same thing, either one failing
// would be caught by the other, and nobody would notice that it is gone.

let dir: string;
let store: CheckpointStore;
let checkpoints: Checkpoint[];

beforeEach(async () => {
  dir = tempDir();
  store = await boundsStore(dir);
  checkpoints = [];
  for (const name of ['a', 'b', 'c']) checkpoints.push(await add(name));
});

function add(name: string): Promise<Checkpoint> {
  const files = { big: noise(name, 20_000), name };
  return addSnapshot(store, { workdir: join(dir, 'p'), takenAt: NOW + checkpoints.length, files });
}

/** Takes the first checkpoint out for good; returns the files of the objects that nothing needs then. */
async function drop(): Promise<string[]> {
  const before = await reachableObjects(store.layout);
  const items = checkpoints.slice(0, 1).map((one) => runItem(one, 1, { reason: 'named' }));
  const driver = createCheckpointDriver(store);
  await driver.discard('run', items);
  await driver.purge('run', items);
  const after = await reachableObjects(store.layout);
  const dead = [...before.keys()].filter((id) => !after.has(id));
  return dead.map((id) => join(store.layout.objects, id.slice(0, 2), id.slice(2)));
}

function age(paths: readonly string[], ms: number): void {
  const at = (Date.now() - ms) / SECOND_MS;
  for (const path of paths) utimesSync(path, at, at);
}

const gone = (paths: readonly string[]) => paths.filter((path) => !existsSync(path));

/** The same lock, with something that happens just before or after it is held. */
function around(lock: SharedLock, steps: { beforeAlone?: () => void; afterShare?: () => void }): SharedLock {
  return {
    async share(waitMs) {
      const held = await lock.share(waitMs);
      return {
        [Symbol.dispose]() {
          held[Symbol.dispose]();
          steps.afterShare?.();
        },
      };
    },
    alone(waitMs) {
      steps.beforeAlone?.();
      return lock.alone(waitMs);
    },
  };
}

async function expectComplete(left: readonly Checkpoint[]): Promise<void> {
  expect(
    await incompleteOf(
      store.layout,
      left.map(({ id }) => id),
    ),
  ).toEqual([]);
}

describe('the grace of objects that nothing needs', () => {
  it('is in the plan: what is younger stays, what is older goes', async () => {
    const dead = await drop();
    age(dead.slice(0, 1), 2 * HOUR_MS);
    const size = await readStoreSize(store.layout);
    const reachable = await reachableObjects(store.layout);
    const facts = { reachable, before: Date.now() - HOUR_MS, freeBytes: 1e9, tight: false };
    const ids = dead.map((path) => path.slice(-41).replace('/', ''));
    expect(planReclaim(size, facts).dead).toEqual(ids.slice(0, 1));
    expect(planReclaim(size, { ...facts, before: Infinity }).dead.toSorted()).toEqual(ids.toSorted());
  });

  it('is looked at once more when they go: one that somebody wrote a second time meanwhile stays', async () => {
    const dead = await drop();
    age(dead, 2 * HOUR_MS);
    const [renewed = ''] = dead;
    const lock = around(store.lock, { beforeAlone: () => age([renewed], 0) });
    await reclaimStore({ ...store, lock }, { graceMs: HOUR_MS });
    expect(existsSync(renewed)).toBe(true);
    expect(gone(dead)).toEqual(dead.slice(1));
  });

  it('is none for takes, which hold the store while they write', async () => {
    const dead = await drop();
    await reclaimStore(store);
    expect(gone(dead)).toEqual(dead);
  });
});

describe('the age of packs', () => {
  it('keeps one that may still be written, and sweeps one that was left half-written long ago', async () => {
    const half = [0, 1].map((n) => join(store.layout.objects, 'pack', `pack-${String(n).repeat(40)}.pack`));
    for (const path of half) writeFileSync(path, 'PACK');
    age(half.slice(1), 11 * MINUTE_MS);
    await drop();
    await reclaimStore(store);
    expect(gone(half)).toEqual(half.slice(1));
  });
});

describe('the check that a new pack holds all', () => {
  it('stops a reclaim whose pack lacks one, with everything still there', async () => {
    const loose = [...(await readStoreSize(store.layout)).loose.keys()];
    // It forgets the last object that it is told to pack.
    using _forgetful = oddGit('pack-objects', 'head -n -1 | $git "$@"');
    await expect(writePack(store.layout, loose)).rejects.toMatchObject({ code: 'integrity' });
    await expectComplete(checkpoints);
    expect((await readStoreSize(store.layout)).loose.size).toBe(loose.length);
  });
});

describe('a new pack', () => {
  it('is read back before anything goes, so that a damaged one is noticed', async () => {
    const lines = [...(await reachableObjects(store.layout)).values()];
    // Its index says that everything is in it.
    const damage =
      'chmod u+w objects/pack/pack-$name.pack; printf damaged | dd of=objects/pack/pack-$name.pack bs=1 seek=40 conv=notrunc';
    using _damaging = oddGit('pack-objects', `name=$($git "$@"); { ${damage}; } 2> /dev/null; echo $name`);
    await expect(writePack(store.layout, lines)).rejects.toThrow('verify-pack');
  });

  it.skipIf(process.platform !== 'linux')(
    'is on the disk, by its name too, before anything goes that it holds',
    async () => {
      const lines = [...(await reachableObjects(store.layout)).values()];
      const real = fs.fsyncSync;
      fs.fsyncSync = (handle) => {
        if (fs.readlinkSync(`/proc/self/fd/${handle}`).endsWith('/objects/pack')) throw new Error('not synced');
        real(handle);
      };
      syncBuiltinESMExports();
      try {
        await expect(writePack(store.layout, lines)).rejects.toThrow('not synced');
      } finally {
        fs.fsyncSync = real;
        syncBuiltinESMExports();
      }
    },
  );
});

/** Puts everything that is needed into one pack, and nothing beside it. */
async function packAll(): Promise<string> {
  const name = await writePack(store.layout, [...(await reachableObjects(store.layout)).values()]);
  for (const id of (await readStoreSize(store.layout)).loose.keys()) {
    rmSync(join(store.layout.objects, id.slice(0, 2), id.slice(2)));
  }
  return name;
}

describe('an old pack', () => {
  it('loses its index first: what a crash leaves of it then is nothing that git would read', async () => {
    const old = await packAll();
    await drop();
    const removed: string[] = [];
    const real = fs.unlinkSync;
    fs.unlinkSync = (path) => {
      removed.push(basename(String(path)));
      real(path);
    };
    syncBuiltinESMExports();
    try {
      await reclaimStore(store, { maxBytes: 1 });
    } finally {
      fs.unlinkSync = real;
      syncBuiltinESMExports();
    }
    const ofOld = removed.filter((name) => name.startsWith(old));
    expect([ofOld[0], ofOld.includes(`${old}.pack`)]).toEqual([`${old}.idx`, true]);
    await expectComplete(checkpoints.slice(1));
  });
});

describe('the check that the store is complete without the old packs', () => {
  it('tells a pack that is needed from one that is not', async () => {
    const ids = checkpoints.map(({ id }) => id);
    const spare = await writePack(store.layout, [...(await reachableObjects(store.layout)).values()]);
    expect(await isCompleteWithout(store.layout, [spare], ids)).toBe(true);
    const needed = await packAll();
    expect(await isCompleteWithout(store.layout, [needed], ids)).toBe(false);
  });

  it('keeps the old packs when the new one is gone by the time they would go', async () => {
    const old = await packAll();
    await drop();
    const packs = join(store.layout.objects, 'pack');
    const loseFresh = () => {
      for (const file of readdirSync(packs)) if (!file.startsWith(old)) rmSync(join(packs, file));
    };
    await reclaimStore({ ...store, lock: around(store.lock, { afterShare: loseFresh }) }, { maxBytes: 1 });
    expect(packFiles(store.layout, old).length).toBeGreaterThan(1);
    await expectComplete(checkpoints.slice(1));
    expect(lastFailure(store.layout)).toMatchObject([{ kind: 'reclaim-failed' }]);
  });
});

describe('what is known about a project', () => {
  it.each(['keep', 'trash'])('stays while something in the %s may be one of its checkpoints', async (where) => {
    const [one] = checkpoints;
    if (one === undefined) throw new Error('there is no checkpoint');
    const ref = `refs/coppice/${where}/run/1`;
    await changeRefs(store, [
      `create ${ref} ${one.id}`,
      ...checkpoints.map(({ id, projectId }) => `delete ${snapshotRef(projectId, id)} ${id}`),
    ]);
    await reclaimStore(store);
    expect(readProject(store.layout, one.projectId)).toMatchObject({ workdir: one.workdir });
    await changeRefs(store, [`delete ${ref} ${one.id}`]);
    await reclaimStore(store);
    expect(readProject(store.layout, one.projectId)).toBe('none');
  });
});

describe('a pin that is set while its checkpoint goes', () => {
  it('keeps it, however late it comes', async () => {
    const [one] = checkpoints;
    if (one === undefined) throw new Error('there is no checkpoint');
    const pinFile = join(store.layout.gitDir, pinRef(one.id));
    const pin = () => {
      execFileSync('git', ['update-ref', pinRef(one.id), one.id], {
        env: { ...process.env, GIT_DIR: store.layout.gitDir },
      });
    };
    // It was not there when the run looked, and is there when the refs change.
    const refsLock = around(store.refsLock, { beforeAlone: () => existsSync(pinFile) || pin() });
    const driver = createCheckpointDriver({ ...store, refsLock });
    const outcomes = await driver.discard('run', [runItem(one, 1)]);
    expect(outcomes).toEqual([{ number: 1, status: 'skipped', detail: 'It was pinned since the plan was made.' }]);
    const refs = await readRefs(store.layout);
    expect(refs.get(snapshotRef(one.projectId, one.id))).toBe(one.id);
    expect([...refs.keys()].filter((name) => name.includes('/trash/'))).toEqual([]);
    expect(statSync(pinFile).isFile()).toBe(true);
  });
});
