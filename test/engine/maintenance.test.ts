import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/app/config/config-defaults.ts';
import type { Home } from '../../src/app/home.ts';
import { recallMaintenance, rememberMaintenance } from '../../src/app/maintenance/maintenance-memory.ts';
import { openHome } from '../../src/app/open-home.ts';
import { policyFromConfig } from '../../src/app/retention/policy-from-config.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { applyPlan } from '../../src/engine/apply-plan.ts';
import { type MaintainParts, maintain } from '../../src/app/maintenance/maintain.ts';
import { createHomeLock } from '../../src/store/sqlite/sqlite-home-lock.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { type EngineHome, openEngineHome } from '../support/engine-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const ON = [{ key: 'sessions.auto_prune', value: 'true' }];

describe('unattended maintenance', () => {
  let path: string;
  let clock: ReturnType<typeof manualClock>;

  beforeEach(() => {
    path = join(tempDir(), 'home');
    clock = manualClock(NOW);
  });

  const open = (settings: readonly { key: string; value: string }[] = ON) =>
    openHome({ path, clock, env: {}, settings });

  async function fill(home: Home, count: number, messages = 10): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const session = await home.sessions.create({ source: 'cli' });
      await session.appendAll(Array.from({ length: messages }, () => ({ role: 'user' as const, content: 'word' })));
      await session.end('done');
    }
  }

  const ids = async (home: Home) => (await collect(home.sessions.list())).map(({ id }) => id);

  it('is off unless it is switched on', async () => {
    await using home = await open([]);
    await fill(home, 3);
    clock.advance(400 * DAY_MS);
    expect(await home.maintainInBackground()).toMatchObject({ status: 'off' });
    expect(await ids(home)).toHaveLength(3);
  });

  it('announces on its first pass and acts on the next', async () => {
    await using home = await open();
    await fill(home, 3);
    clock.advance(100 * DAY_MS);
    expect(await home.maintainInBackground()).toMatchObject({
      status: 'done',
      removed: 0,
      waiting: { items: 2, reasons: [{ kind: 'first-run', count: 2 }], until: clock.now() + 3 * DAY_MS },
    });
    expect(await ids(home)).toHaveLength(3);
    expect(await home.maintainInBackground()).toMatchObject({ status: 'not-due', nextAt: clock.now() + DAY_MS });
    clock.advance(DAY_MS);
    expect(await home.maintainInBackground()).toMatchObject({ status: 'done', removed: 2 });
    expect(await ids(home)).toHaveLength(1);
  });

  it('announces again when the rules became stricter', async () => {
    {
      await using home = await open([...ON, { key: 'sessions.retention_days', value: '3650' }]);
      await fill(home, 3);
      clock.advance(100 * DAY_MS);
      await home.maintainInBackground();
    }
    clock.advance(DAY_MS);
    await using home = await open();
    expect(await home.maintainInBackground()).toMatchObject({
      removed: 0,
      waiting: { reasons: [{ kind: 'stricter-policy', count: 2 }], until: clock.now() + 3 * DAY_MS },
    });
    clock.advance(DAY_MS);
    expect(await home.maintainInBackground()).toMatchObject({ removed: 0, waiting: { items: 2 } });
    clock.advance(2 * DAY_MS);
    expect(await home.maintainInBackground()).toMatchObject({ status: 'done', removed: 2 });
  });

  it('removes no more at once than the guard allows, and the rest at its announced date', async () => {
    await using home = await open([...ON, { key: 'guard.max_items', value: '5' }]);
    for (let day = 0; day < 20; day += 1) {
      await fill(home, 1);
      clock.advance(DAY_MS);
    }
    clock.advance(100 * DAY_MS);
    const left: number[] = [];
    for (let pass = 0; pass < 4; pass += 1) {
      await home.maintainInBackground();
      left.push((await ids(home)).length);
      clock.advance(DAY_MS);
    }
    expect(left).toEqual([20, 15, 10, 1]);
  });

  it('closes what a crash left open, and lets it age from then', async () => {
    {
      await using home = await open();
      const session = await home.sessions.create({ id: 'left', source: 'cli' });
      await session.append({ role: 'user', content: 'hello' });
      await session.release();
    }
    clock.advance(25 * HOUR_MS);
    await using home = await open();
    expect(await home.maintainInBackground()).toMatchObject({ closed: 1 });
    expect(await home.sessions.get('left')).toMatchObject({ endReason: 'abandoned', endedAt: clock.now() });
  });

  it('closes nothing that a process still has, and nothing before its time', async () => {
    await using user = await open();
    await (await user.sessions.create({ id: 'in use', source: 'cli' })).append({ role: 'user', content: 'hello' });
    clock.advance(20 * DAY_MS);
    const quiet = await user.sessions.create({ id: 'quiet', source: 'cli' });
    await quiet.append({ role: 'user', content: 'hello' });
    await quiet.release();
    clock.advance(23 * HOUR_MS);
    await using home = await open();
    expect(await home.maintainInBackground()).toMatchObject({ closed: 0 });
    for (const id of ['in use', 'quiet']) expect((await home.sessions.get(id))?.endedAt).toBeUndefined();
  });

  it('purges trash past its grace even while the guard holds the rest', async () => {
    await using home = await open();
    await fill(home, 3);
    clock.advance(2 * DAY_MS);
    const [first = ''] = await ids(home);
    await home.apply(await home.plan({ kind: 'delete', ids: [first] }));
    clock.advance(100 * DAY_MS);
    const report = await home.maintainInBackground();
    expect(report).toMatchObject({ removed: 1, emptied: 1, waiting: { items: 1 } });
    // Nothing of it can come back, so no run is named that would bring it.
    expect(report).not.toHaveProperty('runId');
    expect(report).not.toHaveProperty('forGood');
    expect((await (await home.retention()).scan()).trash).toEqual([]);
  });

  it.each([
    ['a stamp in the future', JSON.stringify({ lastAt: NOW + 1000 * DAY_MS })],
    ['a stamp that is no stamp', 'not json'],
    ['a stamp of another shape', '[1,2]'],
  ])('recovers from %s', async (_, stamp) => {
    await using home = await open();
    await fill(home, 1);
    const { openSqliteStore } = await import('../../src/store/sqlite/sqlite-store.ts');
    const store = await openSqliteStore({
      path: join(path, 'state.db'),
      scratchDir: path,
      clock,
      transcripts: { write: ({ mark }) => ({ mark, problems: [] }) },
    });
    await store.setMeta('maintenance', stamp);
    await store[Symbol.asyncDispose]();
    expect((await home.maintainInBackground()).status).toBe('done');
    expect((await home.maintainInBackground()).status).toBe('not-due');
  });

  it('is done by one of many that start at once', async () => {
    const homes = await Promise.all(Array.from({ length: 4 }, () => open()));
    const [first] = homes;
    if (first !== undefined) await fill(first, 2);
    const reports = await Promise.all(homes.map((home) => home.maintainInBackground()));
    expect(reports.filter(({ status }) => status === 'done')).toHaveLength(1);
    await Promise.all(homes.map((home) => home.close()));
  });

  it('stands back while another process changes the home', async () => {
    await using home = await open();
    await fill(home, 2);
    using _held = await lockOf(path).acquire('a test', 0);
    expect(await home.maintainInBackground()).toEqual({ status: 'busy' });
  });

  describe('a pass', () => {
    const options = { policy: policyFromConfig(DEFAULT_CONFIG), trashGraceMs: DAY_MS, intervalMs: DAY_MS };

    function partsOf({ parts, engine }: EngineHome): MaintainParts {
      return {
        ...engine,
        lock: lockOf(path),
        recall: () => recallMaintenance(parts),
        remember: (memory) => rememberMaintenance(parts, memory),
        closeAbandoned: async () => 0,
        newRunId: () => 'run',
      };
    }

    it('is left to the one who made it while this one came for the lock', async () => {
      await using at = await openEngineHome(path, { clock });
      const parts = partsOf(at);
      const acquire: MaintainParts['lock']['acquire'] = async (...args) => {
        expect((await maintain(parts, options)).status).toBe('done');
        return parts.lock.acquire(...args);
      };
      const late = await maintain({ ...parts, lock: { acquire } }, options);
      expect(late).toEqual({ status: 'not-due', nextAt: clock.now() + DAY_MS });
    });

    it('that fails is not tried again at every start', async () => {
      await using at = await openEngineHome(path, { clock });
      const parts = partsOf(at);
      const scan = () => Promise.reject(new Error('the disk is on fire'));
      await expect(maintain({ ...parts, driver: { ...parts.driver, scan } }, options)).rejects.toThrow('on fire');
      expect(await maintain(parts, options)).toMatchObject({ status: 'not-due' });
    });

    it('first finishes what a crash cut short', async () => {
      await using at = await openEngineHome(path, { clock });
      const parts = partsOf(at);
      await fill(at.home, 2);
      clock.advance(DAY_MS);
      const [id = ''] = await ids(at.home);
      const plan = await at.retention.plan({ kind: 'delete', ids: [id] });
      const cut = { ...parts.driver, discard: () => Promise.reject(new Error('cut short')) };
      const applied = collect(applyPlan({ ...parts, driver: cut }, plan, { runId: 'cut', trashGraceMs: DAY_MS }));
      await expect(applied).rejects.toThrow('cut short');
      expect(await parts.journal.unfinished()).toEqual(['cut']);
      await maintain(parts, options);
      expect(await parts.journal.unfinished()).toEqual([]);
      expect(await ids(at.home)).not.toContain(id);
    });
  });

  it('never throws into its host', async () => {
    const home = await open();
    await home.close();
    expect(await home.maintainInBackground()).toMatchObject({ status: 'failed' });
  });
});

function lockOf(path: string) {
  return createHomeLock(join(path, 'lock.db'), { set: async () => undefined, get: async () => undefined });
}
