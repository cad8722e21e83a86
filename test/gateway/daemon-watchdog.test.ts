import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { Failure } from '../../src/core/failure.ts';
import { MINUTE_MS } from '../../src/core/time.ts';
import { Daemon } from '../../src/daemon/daemon.ts';
import { createReadiness } from '../../src/http/readiness.ts';
import { OpenSessions } from '../../src/http/open-sessions.ts';
import { campaignSize, SEED } from '../support/campaign.ts';
import { manualClock } from '../support/clock.ts';
import { user } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Simulated hours: each mishap once in every run, a month of them in a long one. */
const HOURS = campaignSize({ usual: 13, torture: 24 * 30 });

/** Things that happen to a home while it is served, each of them as another process would do it. */
type Mishap = (home: Home, id: string) => Promise<unknown> | void;

const MISHAPS: readonly Mishap[] = [
  async (home, id) => home.apply(await home.plan({ kind: 'delete', ids: [id] })),
  async (home) => home.apply(await home.plan({ kind: 'archive', filter: {} })),
  async (home, id) => (await home.sessions.open(id)).rename('renamed'),
  (home) => rmSync(join(home.path, 'sessions'), { recursive: true, force: true }),
  (home) => moveAway(join(home.path, 'sessions')),
  (home) => damage(join(home.path, 'sessions')),
  (home) => rmSync(join(home.path, 'plans'), { recursive: true, force: true }),
  (home) => rmSync(join(home.path, 'trash'), { recursive: true, force: true }),
  (home) => rmSync(join(home.path, 'checkpoints'), { recursive: true, force: true }),
  (home) => writeFileSync(join(home.path, 'checkpoints'), 'no folder any more'),
  (home) => rmSync(join(home.path, 'token'), { force: true }),
  (home) => writeFileSync(join(home.path, 'config.yaml'), '{ not: [yaml'),
  (home) => rmSync(join(home.path, 'config.yaml'), { force: true }),
];

it(`a daemon goes on for ${HOURS} simulated hours of work, whatever is removed, moved or damaged under it`, async () => {
  const clock = manualClock();
  const settings = [{ key: 'sessions.auto_prune', value: 'true' }];
  await using home = await openHome({ path: join(tempDir(), 'home'), clock, env: {}, settings });
  const said: string[] = [];
  const daemon = new Daemon({ home, clock, say: (line) => said.push(line) });
  const open = new OpenSessions(home.sessions, clock);
  daemon.add({ name: 'sessions that nobody uses', everyMs: MINUTE_MS, act: () => open.releaseIdle() });
  await daemon.recover();
  const readiness = createReadiness({ home, clock, chores: () => daemon.chores });
  let kept = 0;
  for (let hour = 0; hour < HOURS; hour += 1) {
    const { id } = await home.sessions.create({ source: 'api' });
    const session = await open.open(id);
    for (let number = 0; number < 3; number += 1) await session.append(user(`message ${number}`));
    if (hour % 3 !== 0) await session.end('done');
    await meet(MISHAPS[(hour + SEED) % MISHAPS.length], home, id);
    for (let minute = 0; minute < 60; minute += 12) {
      clock.advance(12 * MINUTE_MS);
      await daemon.step();
    }
    kept += (await home.sessions.get(id)) === undefined ? 0 : 1;
  }
  // A folder that stands in the way is told of, and the work goes on when it is gone.
  rmSync(join(home.path, 'checkpoints'), { force: true });
  clock.advance(12 * MINUTE_MS);
  await daemon.step();
  await daemon.stop();
  expect(await readiness()).toEqual({ home: true, store: true, chores: true });
  expect(daemon.chores.filter(({ trouble }) => trouble !== undefined)).toEqual([]);
  expect(kept).toBeGreaterThan(0);
});

it('a chore that keeps failing makes the daemon not ready, and one that recovers makes it ready again', async () => {
  const clock = manualClock();
  await using home = await openHome({ path: tempDir(), clock, env: {} });
  const said: string[] = [];
  const daemon = new Daemon({ home, clock, say: (line) => said.push(line) });
  const readiness = createReadiness({ home, clock, chores: () => daemon.chores });
  let broken = true;
  const act = async (): Promise<void> => {
    if (broken) throw new Error('the disk is on fire');
  };
  daemon.add({ name: 'the test', everyMs: MINUTE_MS, act });
  const minutes = async (count: number): Promise<void> => {
    for (let minute = 0; minute < count; minute += 1) {
      await daemon.step();
      clock.advance(MINUTE_MS / 4);
      await daemon.step();
      clock.advance((3 * MINUTE_MS) / 4);
    }
    await daemon.step();
  };
  await minutes(2);
  expect((await readiness()).chores).toBe(true);
  expect((await home.status()).problems).toMatchObject([{ kind: 'chore-failing', subject: 'the test' }]);
  await minutes(6);
  expect((await readiness()).chores).toBe(false);
  broken = false;
  await minutes(1);
  expect((await readiness()).chores).toBe(true);
  expect((await home.status()).problems).toEqual([]);
  expect(said).toEqual(['Trouble with the test: the disk is on fire', 'All is well again with the test.']);
  await daemon.stop();
});

function moveAway(path: string): void {
  if (existsSync(path)) renameSync(path, `${path}.${Date.now()}`);
}

function damage(path: string): void {
  for (const { name, parentPath, isFile } of entriesOf(path))
    if (isFile) writeFileSync(join(parentPath, name), 'damaged');
}

function entriesOf(path: string) {
  const entries = existsSync(path) ? readdirSync(path, { withFileTypes: true, recursive: true }) : [];
  return entries.map((entry) => ({ name: entry.name, parentPath: entry.parentPath, isFile: entry.isFile() }));
}

/** What the rules protect refuses, which is an answer too. */
async function meet(mishap: Mishap | undefined, home: Home, id: string): Promise<void> {
  try {
    await mishap?.(home, id);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
