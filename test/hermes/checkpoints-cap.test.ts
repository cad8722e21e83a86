import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MINUTE_MS } from '../../src/core/time.ts';
import { openHome } from '../../src/index.ts';
import { manualClock } from '../support/clock.ts';
import { addV1Checkpoints, addV2Checkpoints, takeV1, takeV2 } from '../support/hermes-checkpoints.ts';
import { runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW } from '../support/hermes-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const MB = 1024 * 1024;
const NAMES = ['a', 'b', 'c', 'd'];

/** A home with four folders of a megabyte and a bit, each with two checkpoints. The later in the alphabet, the younger. */
function build(layout: 'v1' | 'v2') {
  const root = tempDir();
  const home = buildHermesHome(join(root, 'hermes'), {
    files: { 'config.yaml': 'checkpoints:\n  max_total_size_mb: 3\n' },
  });
  const checkpoints = join(home, 'checkpoints');
  NAMES.forEach((name, index) => {
    const workdir = join(root, 'work', name);
    const firstAt = HERMES_NOW - (9 - index) * HERMES_DAY;
    (layout === 'v1' ? addV1Checkpoints : addV2Checkpoints)(checkpoints, { workdir, reasons: ['one'], firstAt });
    writeFileSync(join(workdir, 'large.bin'), randomBytes(1.2 * MB));
    (layout === 'v1' ? takeV1 : takeV2)(checkpoints, { workdir, reason: 'two', at: firstAt + 60_000 });
  });
  return { root, home };
}

/** Older than what a Hermes without a lock may still be writing. */
function age(dir: string): void {
  const then = Date.now() / 1000 - 2 * 3600;
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) utimesSync(join(dir, name), then, then);
}

/** All that checkpoints take: where Hermes has them, and where they wait. */
function usage(home: string): number {
  const paths = ['checkpoints', '.coppice/checkpoints', '.coppice/trash'].map((name) => join(home, name));
  const there = paths.filter((path) => existsSync(path) && statSync(path).isDirectory());
  const lines = execFileSync('du', ['-s', '--block-size=1', ...there], { encoding: 'utf8' });
  return lines.split('\n').reduce((sum, line) => sum + Number(line.split('\t', 1)), 0);
}

it.each(['v1', 'v2'] as const)(
  'holds the cap of a Hermes home on the disk, in layout %s: least used folders go first',
  async (layout) => {
    const { root, home } = build(layout);
    age(join(home, 'checkpoints'));
    expect(usage(home)).toBeGreaterThan(4.5 * MB);
    const clock = manualClock(HERMES_NOW);
    const opened = await openHome({ path: home, clock, env: {} });
    onTestFinished(() => opened.close());
    const before = await opened.checkpoints.status();
    expect(Math.abs(before.sizeBytes - usage(home)) / usage(home)).toBeLessThan(0.02);
    expect(before.problems.map(({ kind }) => kind)).toEqual(['checkpoints-over-limit']);
    expect(await opened.maintainInBackground()).toMatchObject({ checkpoints: { status: 'done', removed: 6 } });
    // A Hermes that knows no lock may be at work in the store that all share, until nothing has changed there for a while.
    age(join(home, 'checkpoints'));
    clock.advance(11 * MINUTE_MS);
    if (layout === 'v2')
      expect(await opened.maintainInBackground()).toMatchObject({ checkpoints: { status: 'done', removed: 0 } });
    expect(usage(home)).toBeLessThan(3 * MB * 1.25);
    const after = await opened.checkpoints.status();
    expect(after.problems).toEqual([]);
    expect(after.projects.map(({ workdir }) => workdir)).toEqual(['d', 'c'].map((name) => join(root, 'work', name)));
    expect(await opened.maintainInBackground()).toMatchObject({ checkpoints: { status: 'within' } });
  },
);

it.each(['v1', 'v2'] as const)('says no more of the disk than du does, in layout %s', async (layout) => {
  const { home } = build(layout);
  age(join(home, 'checkpoints'));
  const before = usage(home);
  const { code, out } = await runOn(home, [
    '--json',
    'checkpoints',
    'prune',
    '--max-size-mb',
    '3',
    '--yes',
    '--for-good',
  ]);
  expect(code).toBe(0);
  const { freedBytes } = JSON.parse(out) as { freedBytes: number };
  expect(Math.abs(freedBytes - Math.max(0, before - usage(home)))).toBeLessThan(0.2 * MB);
});

it('says when the space of what is gone comes back, and brings back what did not go for good', async () => {
  const { home } = build('v2');
  const kept = await runOn(home, ['checkpoints', 'list', '--all']);
  expect((await runOn(home, ['checkpoints', 'prune', '--max-size-mb', '3', '--yes'])).out).toContain('Undo until');
  expect((await runOn(home, ['undo', '--yes'])).code).toBe(0);
  expect((await runOn(home, ['checkpoints', 'list', '--all'])).out).toBe(kept.out);
  const gone = await runOn(home, ['checkpoints', 'prune', '--max-size-mb', '3', '--yes', '--for-good']);
  expect(gone.out).toContain('The rest comes back once no checkpoint was taken for ten minutes');
});
