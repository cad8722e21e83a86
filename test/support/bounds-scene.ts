import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { storeLayout } from '../../src/checkpoints/store/store-layout.ts';
import type { Checkpoint } from '../../src/core/retention/checkpoint.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import { takenOf } from './checkpoint-store.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { tempDir } from './temp-dir.ts';

export interface BoundsScene {
  readonly dir: string;
  readonly home: Home;
  readonly clock: ManualClock;
  /** Changes a file of a project and takes a checkpoint of it. */
  readonly take: (project: string, content: string) => Promise<Checkpoint>;
  /** Takes, and waits for what that brings about. */
  readonly takeAndSettle: (project: string, content: string) => Promise<void>;
}

/** A home whose checkpoints have bounds, and projects to take them of. Closed when the test is over. */
export async function boundsScene(settings: Readonly<Record<string, string>> = {}): Promise<BoundsScene> {
  const dir = tempDir();
  const clock = manualClock();
  const home = await openHome({
    path: join(dir, 'home'),
    clock,
    env: {},
    settings: Object.entries({ 'disk.ballast_mb': 'never', ...settings }).map(([key, value]) => ({ key, value })),
  });
  onTestFinished(() => home.close());
  const take = async (project: string, content: string) => {
    const workdir = join(dir, 'work', project);
    mkdirSync(workdir, { recursive: true });
    writeFileSync(join(workdir, 'file'), content);
    writeFileSync(join(workdir, 'readme'), 'the same for ever');
    clock.advance(MINUTE_MS);
    return takenOf(await home.checkpoints.take({ workdir, reason: content.slice(0, 20) }));
  };
  const takeAndSettle = async (project: string, content: string) => {
    letTimePass(home);
    await take(project, content);
    await home.checkpoints.settled();
  };
  return { dir, home, clock, take, takeAndSettle };
}

/** Objects are as old as the file system says, whatever the clock of a test says. */
export function letTimePass(home: Home): void {
  const { objects } = storeLayout(join(home.path, 'checkpoints'));
  const then = (Date.now() - 2 * HOUR_MS) / 1000;
  for (const name of existsSync(objects) ? readdirSync(objects) : []) {
    if (!/^[0-9a-f]{2}$/.test(name)) continue;
    for (const file of readdirSync(join(objects, name))) utimesSync(join(objects, name, file), then, then);
  }
}

/** The ids of all checkpoints of a home. */
export async function idsOf(home: Home): Promise<string[]> {
  return (await home.checkpoints.list()).map(({ id }) => id).toSorted();
}
