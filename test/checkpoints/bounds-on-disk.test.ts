import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { DAY_MS, SECOND_MS } from '../../src/core/time.ts';
import { boundsScene, idsOf } from '../support/bounds-scene.ts';
import { takenOf } from '../support/checkpoint-store.ts';
import { checkpointUsage } from '../support/disk-usage.ts';

const MB = 1024 * 1024;
const CAP = { 'checkpoints.max_total_size_mb': '5' };
/** The cap and its slack. */
const BOUND = 5 * MB * 1.25;

const du = (home: Home) => checkpointUsage(home.path);

function fill(workdir: string, bytes = MB): void {
  mkdirSync(workdir, { recursive: true });
  writeFileSync(join(workdir, 'file'), randomBytes(bytes));
}

describe('the cap on checkpoints', () => {
  it('is one on the disk: twenty changes of a megabyte within a minute, and the status says what du says', async () => {
    const { dir, home, clock } = await boundsScene(CAP);
    const workdir = join(dir, 'work', 'p');
    for (let turn = 0; turn < 20; turn += 1) {
      fill(workdir);
      clock.advance(SECOND_MS);
      takenOf(await home.checkpoints.take({ workdir }));
      await home.checkpoints.settled();
      expect(du(home)).toBeLessThan(BOUND);
      const { sizeBytes, problems } = await home.checkpoints.status();
      expect(Math.abs(sizeBytes - du(home)) / du(home)).toBeLessThan(0.02);
      expect(problems).toEqual([]);
    }
    expect((await idsOf(home)).length).toBeGreaterThan(2);
    expect((await home.checkpoints.verify()).problems).toEqual([]);
    const { classes } = await home.status();
    // The cache has a part of its own there.
    const { sizeBytes, indexBytes } = await home.checkpoints.status();
    const [found] = classes.filter(({ name }) => name === 'checkpoints').map((one) => one.sizeBytes);
    expect(Math.abs((found ?? 0) - (sizeBytes - indexBytes)) / sizeBytes).toBeLessThan(0.02);
  }, 60_000);

  it('counts garbage, says until when it waits, and does not call it well beyond the slack', async () => {
    const { dir, home, clock } = await boundsScene({ ...CAP, 'checkpoints.min_interval_hours': '24' });
    await home.checkpoints.settled();
    const workdir = join(dir, 'work', 'p');
    fill(workdir);
    takenOf(await home.checkpoints.take({ workdir }));
    await home.checkpoints.settled();
    // What a take writes that is killed before its ref.
    const store = join(home.path, 'checkpoints', 'store');
    for (let made = 0; made < 6; made += 1) {
      execFileSync('git', ['--git-dir', store, 'hash-object', '-w', '--stdin'], { input: randomBytes(MB) });
    }
    const { sizeBytes, garbageBytes, garbageUntil, problems } = await home.checkpoints.status();
    expect(garbageBytes).toBeGreaterThan(6 * MB);
    expect(Math.abs(sizeBytes - du(home)) / du(home)).toBeLessThan(0.02);
    expect(garbageUntil).toBe(clock.now() + DAY_MS);
    expect(problems.map(({ kind }) => kind)).toEqual(['checkpoints-over-limit']);
    expect(await home.checkpoints.keepBounded()).toMatchObject({ status: 'done', removed: 0 });
    expect(du(home)).toBeLessThan(2 * MB);
    expect(await home.checkpoints.status()).toMatchObject({ garbageBytes: 0, problems: [] });
  });

  it('holds for one-off folders of which half are removed, and for what waits in the trash', async () => {
    const { dir, home, clock } = await boundsScene(CAP);
    for (let folder = 0; folder < 12; folder += 1) {
      const workdir = join(dir, 'work', `once-${folder}`);
      fill(workdir);
      clock.advance(DAY_MS);
      takenOf(await home.checkpoints.take({ workdir }));
      await home.checkpoints.settled();
      expect(du(home)).toBeLessThan(BOUND);
      if (folder % 2 === 0) rmSync(workdir, { recursive: true });
    }
    for (let day = 0; day < 65; day += 1) {
      clock.advance(DAY_MS);
      await home.checkpoints.keepBounded();
      if (day % 8 === 0) expect(du(home)).toBeLessThan(BOUND);
    }
    const { projects, problems } = await home.checkpoints.status();
    expect(problems).toEqual([]);
    expect(projects.map(({ place }) => place)).toEqual(projects.map(() => 'present'));
    clock.advance(30 * DAY_MS);
    await home.checkpoints.keepBounded();
    expect(await home.checkpoints.projects()).toEqual([]);
    clock.advance(8 * DAY_MS);
    await home.checkpoints.keepBounded();
    expect(du(home)).toBeLessThan(MB / 4);
  }, 120_000);
});
