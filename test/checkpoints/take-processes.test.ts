import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readSnapshots } from '../../src/checkpoints/store/read-snapshots.ts';
import { keptIndex } from '../../src/checkpoints/store/index-cache.ts';
import type { CheckpointStore } from '../../src/checkpoints/store/open-store.ts';
import { takeSnapshot } from '../../src/checkpoints/take/take-snapshot.ts';
import { runGit } from '../../src/platform/git/run-git.ts';
import { takenOf } from '../support/checkpoint-store.ts';
import { runTakeWorker } from '../support/run-take-worker.ts';
import { expectSound, type TakeScene, takeExactly, takeScene } from '../support/take-scene.ts';

const TORTURE = process.env['COPPICE_TORTURE'] !== undefined;

let dir: string;
let workdir: string;
let store: CheckpointStore;
let write: TakeScene['write'];

beforeEach(async () => {
  ({ dir, workdir, store, write } = await takeScene());
});

describe('processes', () => {
  it('take the same project at the same time, and the store opens only once', async () => {
    for (let at = 0; at < 50; at += 1) write(`f${at}`, `${at}`);
    rmSync(join(dir, 'home', 'checkpoints'), { recursive: true });
    const home = join(dir, 'home');
    const runs = await Promise.all([1, 2, 3].map(() => runTakeWorker({ home, workdir, rounds: 4 })));
    expect(runs.map(({ stderr }) => stderr)).toEqual(['', '', '']);
    const results = runs.flatMap((run) => run.results);
    expect(results.filter(({ status }) => status === 'refused')).toEqual([]);
    const taken = results.filter(({ status }) => status === 'taken').length;
    expect((await readSnapshots(store)).checkpoints).toHaveLength(taken);
    await expectSound(store);
  });

  it('that are killed leave the store sound, and the next take is exact', async () => {
    for (let at = 0; at < 300; at += 1) write(`d${at % 10}/f${at}`, `${at}`.repeat(500));
    const home = join(dir, 'home');
    for (let round = 0; round < (TORTURE ? 60 : 5); round += 1) {
      for (let at = 0; at < 300; at += 1) write(`d${at % 10}/f${at}`, `${at} ${round} `.repeat(500));
      await runTakeWorker({ home, workdir, rounds: 3, killAfterMs: 150 + Math.random() * 250 });
    }
    await expectSound(store);
    write('last', '1');
    await takeExactly({ store, workdir });
    await expectSound(store);
    expect(readdirSync(join(store.layout.gitDir, 'indexes'))).toEqual([]);
  }, 1_800_000);

  it('heal the lock that a killed git left on the index', async () => {
    write('a', '1');
    const { projectId } = takenOf(await takeSnapshot(store, { workdir }));
    writeFileSync(`${store.layout.index(projectId)}.lock`, '');
    write('a', '2');
    await takeExactly({ store, workdir });
  });

  it('stop when they are told to, and leave nothing locked', async () => {
    for (let at = 0; at < 2000; at += 1) write(`f${at}`, `${at}`);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 60);
    await expect(takeSnapshot(store, { workdir }, { signal: stop.signal })).rejects.toThrow('abort');
    expect(await readSnapshots(store)).toEqual({ checkpoints: [], problems: [] });
    await takeExactly({ store, workdir });
  });
});

describe('an index that no longer fits the store', () => {
  it('is made anew when the checkpoint it belongs to is gone, with its objects', async () => {
    write('a', '1');
    const { id, projectId } = takenOf(await takeSnapshot(store, { workdir }));
    const place = { gitDir: store.layout.gitDir };
    await runGit(place, ['update-ref', '-d', `refs/coppice/snapshots/${projectId}/${id}`]);
    for (const name of readdirSync(store.layout.objects))
      if (name.length === 2) rmSync(join(store.layout.objects, name), { recursive: true });
    await takeExactly({ store, workdir });
    await expectSound(store);
  });

  it('is made anew when it is damaged', async () => {
    write('a', '1');
    const { projectId } = takenOf(await takeSnapshot(store, { workdir }));
    writeFileSync(keptIndex(store.layout, projectId), 'not an index');
    expect((await takeSnapshot(store, { workdir })).status).toBe('unchanged');
    writeFileSync(store.layout.project(projectId), '[]');
    expect((await takeSnapshot(store, { workdir })).status).toBe('unchanged');
    write('a', '2');
    await takeExactly({ store, workdir });
  });

  it('may be removed at any time with all of its cache, also while a checkpoint is taken', async () => {
    for (let at = 0; at < 500; at += 1) write(`f${at}`, `${at}`);
    const cache = join(dir, 'home', 'cache');
    const removing = setInterval(() => rmSync(cache, { recursive: true, force: true }), 1);
    try {
      for (let round = 0; round < 5; round += 1) {
        write('f7', `round ${round}`);
        write(`more ${round}`, '1');
        await takeExactly({ store, workdir });
      }
    } finally {
      clearInterval(removing);
    }
    writeFileSync(cache, 'no folder at all');
    write('f7', 'last');
    await takeExactly({ store, workdir });
    await expectSound(store);
  });

  it('is left in the store by a killed take or an older version, and not trusted', async () => {
    write('a', '1');
    const { projectId } = takenOf(await takeSnapshot(store, { workdir }));
    const left = store.layout.index(projectId);
    renameSync(keptIndex(store.layout, projectId), left);
    expect((await takeSnapshot(store, { workdir })).status).toBe('unchanged');
    expect(existsSync(left)).toBe(false);
    writeFileSync(left, 'not an index');
    write('a', '2');
    await takeExactly({ store, workdir });
  });

  it('learns new times when the directory was copied, and still finds nothing changed', async () => {
    write('a', '1');
    takenOf(await takeSnapshot(store, { workdir }));
    execFileSync('cp', ['-r', workdir, `${workdir}-copy`]);
    rmSync(workdir, { recursive: true });
    execFileSync('mv', [`${workdir}-copy`, workdir]);
    expect((await takeSnapshot(store, { workdir })).status).toBe('unchanged');
    expect((await takeSnapshot(store, { workdir })).status).toBe('unchanged');
    write('a', '2');
    await takeExactly({ store, workdir });
  });
});
