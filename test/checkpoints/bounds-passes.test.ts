import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { DAY_MS, MINUTE_MS } from '../../src/core/time.ts';
import { Daemon } from '../../src/daemon/daemon.ts';
import { captureIo } from '../capture-io.ts';
import { boundsScene, idsOf } from '../support/bounds-scene.ts';
import { collect } from '../support/collect.ts';

/** A home in which two checkpoints are past their retention and one is of a folder that is gone. Sessions are left alone. */
async function scene(settings: Readonly<Record<string, string>> = {}) {
  const made = await boundsScene({ 'checkpoints.retention_days': '3', ...settings });
  const { dir, home, clock, take } = made;
  for (const content of ['first', 'second']) await take('p', content);
  await take('gone', 'gone');
  await home.checkpoints.settled();
  rmSync(join(dir, 'work', 'gone'), { recursive: true });
  clock.advance(4 * DAY_MS);
  return made;
}

describe('the limits of checkpoints', () => {
  it('are held by every unattended pass, although sessions are left alone', async () => {
    const { home, clock } = await scene();
    expect(await home.maintainInBackground()).toMatchObject({
      status: 'off',
      checkpoints: { status: 'done', removed: 1 },
    });
    expect(await idsOf(home)).toHaveLength(2);
    expect(await home.maintainInBackground()).toEqual({ status: 'off', checkpoints: { status: 'within' } });
    clock.advance(DAY_MS);
    // The second look.
    expect(await home.maintainInBackground()).toMatchObject({ checkpoints: { removed: 1 } });
    const runs = await collect((await home.retention()).runs());
    for (const run of runs) await home.undo(run.id);
    expect(await idsOf(home)).toHaveLength(3);
  });

  it('are held by the daemon, which says so', async () => {
    const { home, clock } = await scene();
    const said: string[] = [];
    const daemon = new Daemon({ home, clock, say: (line) => said.push(line) });
    await daemon.step();
    clock.advance(10 * MINUTE_MS);
    await daemon.step();
    await daemon.stop();
    expect(said).toEqual(['Checkpoints beyond their limits were removed: 1.']);
    expect(await idsOf(home)).toHaveLength(2);
  });

  it('are held by coppice maintain at any time, in words and for programs', async () => {
    const { home, clock } = await scene();
    const maintain = async (...args: string[]) => {
      const { io, out } = captureIo({ now: clock.now(), env: {} });
      const settings = ['--set', 'checkpoints.retention_days=3', '--set', 'disk.ballast_mb=never'];
      await main(['--home', home.path, ...settings, 'maintain', ...args], io);
      return out();
    };
    expect(await maintain()).toMatch(/Removed 1 checkpoint beyond their limits\.\n(.*\n)?Undo .*: coppice undo \S+/);
    expect(JSON.parse(await maintain('--json'))).toMatchObject({ checkpoints: { status: 'done', removed: 0 } });
    clock.advance(DAY_MS);
    expect(await maintain('--auto')).toMatch(/sessions is off\..*\nRemoved 1 checkpoint beyond their limits\./);
  });

  it('wait while a person holds what would go, and what nothing needs goes all the same', async () => {
    const { home } = await scene();
    const retention = await home.retention();
    await retention.hold(true);
    expect(await home.checkpoints.keepBounded({ now: true })).toMatchObject({ status: 'done', removed: 0, held: true });
    expect(await idsOf(home)).toHaveLength(3);
    await retention.hold(false);
    expect(await home.checkpoints.keepBounded({ now: true })).toMatchObject({ removed: 1 });
  });

  it('let go of no folder that is gone where delete_orphans is off', async () => {
    const { home, clock } = await scene({ 'checkpoints.delete_orphans': 'false' });
    for (let day = 0; day < 3; day += 1) {
      clock.advance(DAY_MS);
      await home.checkpoints.keepBounded();
    }
    expect((await home.checkpoints.projects()).map(({ place }) => place)).toEqual(['gone', 'present']);
  });

  it('are looked at again soon where a pass was in vain and much has come since', async () => {
    const { dir, home, clock } = await boundsScene({ 'checkpoints.max_total_size_mb': '2' });
    const put = async (name: string) => {
      const workdir = join(dir, 'work', name);
      mkdirSync(workdir, { recursive: true });
      writeFileSync(join(workdir, 'file'), randomBytes(1024 * 1024));
      clock.advance(1000);
      await home.checkpoints.take({ workdir });
      await home.checkpoints.settled();
    };
    // All within an hour, so that each is the last of a folder that somebody may be at work in.
    for (const name of ['a', 'b', 'c']) await put(name);
    expect(await idsOf(home)).toHaveLength(3);
    expect((await home.checkpoints.status()).shortfalls).toHaveLength(1);
    expect(await home.checkpoints.keepBounded()).toEqual({ status: 'within' });
    await put('c');
    expect(await idsOf(home)).toHaveLength(3);
    clock.advance(60 * MINUTE_MS);
    expect(await home.checkpoints.keepBounded()).toMatchObject({ status: 'done', removed: 2 });
    expect((await home.checkpoints.status()).shortfalls).toEqual([]);
  });
});
