import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { keptIndex } from '../../src/checkpoints/store/index-cache.ts';
import { storeLayout } from '../../src/checkpoints/store/store-layout.ts';
import { readStoreSize } from '../../src/checkpoints/store/store-size.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import { boundsScene, idsOf } from '../support/bounds-scene.ts';
import { noise } from '../support/checkpoint-bounds.ts';
import { collect } from '../support/collect.ts';

const MB = 1024 * 1024;

describe('the checkpoints of a home', () => {
  it('stay under their cap, within one checkpoint, through a month of heavy use', async () => {
    const { home, clock, takeAndSettle } = await boundsScene({
      'checkpoints.max_total_size_mb': '1',
      'checkpoints.max_snapshots': '1000',
    });
    const layout = storeLayout(join(home.path, 'checkpoints'));
    const eachBytes = 80_000;
    let least = Infinity;
    for (let turn = 0; turn < 40; turn += 1) {
      clock.advance(18 * HOUR_MS);
      await takeAndSettle(`p${turn % 3}`, noise(`turn ${turn}`, eachBytes));
      const { diskBytes, indexBytes } = await readStoreSize(layout);
      expect(diskBytes + indexBytes).toBeLessThan(MB + eachBytes);
      if (turn > 25) least = Math.min(least, diskBytes);
    }
    // It is used to the full, not emptied whenever it is exceeded.
    expect(least).toBeGreaterThan(0.75 * MB);
    expect((await home.checkpoints.projects()).length).toBe(3);
    expect((await home.checkpoints.verify()).problems).toEqual([]);
  }, 120_000);

  it('stay where the cache beside them is what exceeds the cap, and the part of it that was used least goes', async () => {
    const { home, takeAndSettle } = await boundsScene({ 'checkpoints.max_total_size_mb': '1' });
    const layout = storeLayout(join(home.path, 'checkpoints'));
    const projects = ['p', 'q', 'r'];
    for (const project of projects) await takeAndSettle(project, noise(project, 30_000));
    const kept = (await home.checkpoints.list()).map(({ projectId }) => keptIndex(layout, projectId)).toReversed();
    for (const path of kept) writeFileSync(path, noise(path, 300_000));
    expect((await home.checkpoints.status()).reclaimable.items).toBe(0);
    expect(await home.checkpoints.prune()).toBeUndefined();
    expect((await home.checkpoints.keepBounded()).status).toBe('within');
    expect(kept.map((path) => existsSync(path))).toEqual([false, true, true]);
    expect(await idsOf(home)).toHaveLength(3);
  });

  it('of twelve identical folders take hardly more than those of one', async () => {
    const { home, takeAndSettle } = await boundsScene();
    const bytes = () =>
      Number(
        execFileSync('du', ['-sk', join(home.path, 'checkpoints')])
          .toString()
          .split('\t', 1),
      );
    const content = noise('twelve', 9 * MB);
    await takeAndSettle('p0', content);
    const one = bytes();
    for (let folder = 1; folder < 12; folder += 1) await takeAndSettle(`p${folder}`, content);
    expect(bytes() / one).toBeLessThan(1.05);
    expect((await home.checkpoints.status()).indexBytes).toBeGreaterThan(0);
  }, 60_000);

  it('are held at max_snapshots by runs that can be undone', async () => {
    const { home, takeAndSettle } = await boundsScene({ 'checkpoints.max_snapshots': '4' });
    for (let turn = 0; turn < 6; turn += 1) await takeAndSettle('p', `turn ${turn}`);
    expect(await idsOf(home)).toHaveLength(4);
    const [run] = await collect((await home.retention()).runs());
    expect(run?.request.kind).toBe('checkpoints');
    const { done } = await home.undo(run?.id ?? '');
    expect(done).toBe(2);
    expect(await idsOf(home)).toHaveLength(6);
    expect((await home.checkpoints.verify()).problems).toEqual([]);
  });

  it('never lose what a restore went back to, although its safety checkpoint is one too many', async () => {
    const { home, clock, takeAndSettle } = await boundsScene({ 'checkpoints.max_snapshots': '2' });
    for (const content of ['first', 'second']) await takeAndSettle('p', content);
    const [newest, oldest] = await home.checkpoints.list();
    const { safety } = await home.checkpoints.restore(oldest?.id ?? '');
    expect(safety.id).toBe(newest?.id);
    for (const content of ['third', 'fourth', 'fifth']) await takeAndSettle('p', content);
    clock.advance(MINUTE_MS);
    await home.checkpoints.keepBounded();
    expect(await idsOf(home)).toEqual(expect.arrayContaining([oldest?.id, safety.id]));
  });

  it('age at the interval of their own, from a stamp that may be damaged or in the future', async () => {
    const { home, clock, takeAndSettle } = await boundsScene({ 'checkpoints.retention_days': '3' });
    await takeAndSettle('p', 'first');
    await takeAndSettle('p', 'second');
    clock.advance(4 * DAY_MS);
    await takeAndSettle('p', 'third');
    expect(await idsOf(home)).toHaveLength(1);
    for (const stamp of ['{', '{"lastAt":9e15}', 'null']) {
      await takeAndSettle('p', `before ${stamp}`);
      clock.advance(4 * DAY_MS);
      await setMeta(home, 'checkpoints-pass', stamp);
      await takeAndSettle('p', `after ${stamp}`);
      expect(await idsOf(home)).toHaveLength(1);
    }
  });

  it('are left alone where auto_prune is off', async () => {
    const { home, take } = await boundsScene({ 'checkpoints.max_snapshots': '1', 'checkpoints.auto_prune': 'false' });
    for (let turn = 0; turn < 4; turn += 1) await take('p', `turn ${turn}`);
    expect(await home.checkpoints.keepBounded()).toEqual({ status: 'off' });
    expect(await idsOf(home)).toHaveLength(4);
  });
});

async function setMeta(home: Home, key: string, value: string): Promise<void> {
  const { default: BetterSqlite3 } = await import('better-sqlite3');
  const db = new BetterSqlite3(join(home.path, 'state.db'));
  db.prepare('UPDATE meta SET value = ? WHERE key = ?').run(value, key);
  db.close();
}
