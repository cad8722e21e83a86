import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { Failure } from '../../src/core/failure.ts';
import { MINUTE_MS } from '../../src/core/time.ts';
import { Daemon } from '../../src/daemon/daemon.ts';
import { createReadiness } from '../../src/http/resources/readiness.ts';
import { OpenSessions } from '../../src/http/server/open-sessions.ts';
import { campaignSize, spread } from '../support/campaign.ts';
import { manualClock } from '../support/clock.ts';
import { user } from '../support/collect.ts';
import { MISHAPS, USED_NAMES, type UsedName } from '../support/mishaps.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Things that happen to a home while it is served, each of them as another process would do it. */
type Mishap = (home: Home, id: string) => Promise<unknown> | void;

const TO_SESSIONS: readonly Mishap[] = [
  async (home, id) => home.apply(await home.plan({ kind: 'delete', ids: [id] })),
  async (home, id) => {
    const { run } = await home.apply(await home.plan({ kind: 'delete', ids: [id] }));
    await (await home.retention()).emptyTrash(run.id);
  },
  async (home) => home.apply(await home.plan({ kind: 'archive', filter: {} })),
  async (home, id) => (await home.sessions.open(id)).rename('renamed'),
];

/** The databases are for a process of its own to lose, which exits then. */
const NAMES = USED_NAMES.filter((name) => name !== '' && !/^(state|live|serve\.lock)\.db/.test(name));
const MISHAPS_TO_ALL: readonly Mishap[] = [
  ...TO_SESSIONS,
  ...NAMES.flatMap((name) =>
    Object.values(MISHAPS).map(
      (act): Mishap =>
        (home) =>
          void act(join(home.path, name)),
    ),
  ),
];

/** Simulated hours: a sample of the mishaps in every run, a month of all of them in a long one. */
const HOURS = campaignSize({ usual: 13, torture: 24 * 30 });
const SAMPLE = spread(MISHAPS_TO_ALL.length, HOURS).flatMap((number) => MISHAPS_TO_ALL[number - 1] ?? []);

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
    await meet(SAMPLE[hour % SAMPLE.length], home, id);
    for (let minute = 0; minute < 60; minute += 12) {
      clock.advance(12 * MINUTE_MS);
      await daemon.step();
    }
    kept += (await home.sessions.get(id)) === undefined ? 0 : 1;
    // What stands in the way is told of, and the work goes on when it is gone.
    for (const name of NAMES) if (!isUsable(home, name)) rmSync(join(home.path, name), { recursive: true });
  }
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

/** Whether a file is a file and a folder a folder, and both can be read. */
function isUsable(home: Home, name: UsedName): boolean {
  const found = lstatSync(join(home.path, name), { throwIfNoEntry: false });
  if (found === undefined) return true;
  return found.isDirectory() === FOLDERS.has(name) && (found.mode & 0o400) !== 0;
}

const FOLDERS = new Set<UsedName>(['plans', 'trash', 'archive', 'checkpoints', 'sessions', 'audit', 'tokens']);

/** What the rules protect refuses, which is an answer too. */
async function meet(mishap: Mishap | undefined, home: Home, id: string): Promise<void> {
  try {
    await mishap?.(home, id);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
