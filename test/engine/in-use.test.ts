import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { closeAbandoned } from '../../src/app/maintenance/close-abandoned.ts';
import { openHome } from '../../src/app/open-home.ts';
import type { PlanRequest } from '../../src/core/retention/plan.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import { recordClock } from '../../src/keeping/liveness/clock-watch.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { collect, user } from '../support/collect.ts';
import { openEngineHome } from '../support/engine-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const STRICT = {
  'sessions.auto_prune': 'true',
  'sessions.retention_days': '1',
  'sessions.min_age_hours': '1',
  'guard.max_items': '10000',
  'disk.ballast_mb': 'never',
};
const TELEGRAM = { key: 'telegram:42', source: 'telegram' };

let path: string;
let clock: ReturnType<typeof manualClock>;

beforeEach(() => {
  path = join(tempDir(), 'home');
  clock = manualClock(NOW);
});

const open = (settings: Record<string, string> = STRICT) =>
  openHome({ path, clock, env: {}, settings: Object.entries(settings).map(([key, value]) => ({ key, value })) });

/** Some newer sessions of the same source, so that nothing stays for being the newest. */
async function addNewer(home: Home, source: string): Promise<void> {
  clock.advance(1);
  const newer = await home.sessions.create({ source });
  await newer.appendAll(Array.from({ length: 10 }, () => user('newer')));
  await newer.end('done');
}

/** What a person may ask for that reaches any session that is old. */
const byHand = (id: string): Readonly<Record<string, PlanRequest>> => ({
  prune: { kind: 'prune', filter: {}, before: clock.now(), part: 'all' },
  files: { kind: 'prune', filter: {}, before: clock.now(), part: 'files' },
  gc: { kind: 'gc', filter: {}, emptyMs: HOUR_MS, trivialMs: HOUR_MS, trivialMaxMessages: 100 },
  archive: { kind: 'archive', filter: {}, before: clock.now() },
  delete: { kind: 'delete', ids: [id] },
});

async function reasons(home: Home, id: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, request] of Object.entries(byHand(id))) {
    const decision = (await home.plan(request)).decisions.find(({ item }) => item.id === id);
    found[name] = `${decision?.action} ${decision?.reason}`;
  }
  return found;
}

const always = (fate: string) => ({ prune: fate, files: fate, gc: fate, archive: fate, delete: fate });

async function maintain(home: Home, passes = 6): Promise<void> {
  for (let pass = 0; pass < passes; pass += 1) {
    await (await home.retention()).maintain({ now: true });
    clock.advance(DAY_MS);
  }
}

describe('a session that answers a route', () => {
  it('stays open for as long as it does, without a process and without resets, under every rule and every request', async () => {
    let id = '';
    {
      await using gateway = await open();
      const session = await gateway.gateway.resolve(TELEGRAM);
      id = session.id;
      await session.append(user('remember me'));
    }
    clock.advance(100 * DAY_MS);
    await using home = await open();
    await addNewer(home, 'telegram');
    clock.advance(2 * DAY_MS);
    expect(await reasons(home, id)).toEqual(always('keep routed'));
    await maintain(home);
    expect((await home.sessions.get(id))?.endedAt).toBeUndefined();
    expect(await home.gateway.resolve(TELEGRAM)).toMatchObject({ id, resolution: { kind: 'continued' } });
  });

  it('stays after an accident too, and is free once it was ended on purpose', async () => {
    await using home = await open();
    const { id, session } = await home.gateway.resolve(TELEGRAM);
    await session.appendAll([user('hello')]);
    await session.end('crash');
    await addNewer(home, 'telegram');
    clock.advance(100 * DAY_MS);
    expect(await reasons(home, id)).toEqual(always('keep routed'));
    await session.end('ended by hand');
    expect((await reasons(home, id))['delete']).toBe('remove named');
    await home.apply(await home.plan({ kind: 'delete', ids: [id] }));
    expect(await home.gateway.resolve(TELEGRAM)).toMatchObject({ resolution: { kind: 'created' } });
  });

  it('is skipped by a removal that was planned before it was taken up again', async () => {
    await using home = await open();
    const { id, session } = await home.gateway.resolve(TELEGRAM);
    await session.append(user('hello'));
    await session.end('closed');
    await addNewer(home, 'telegram');
    clock.advance(100 * DAY_MS);
    const plan = await home.plan({ kind: 'delete', ids: [id] });
    await session.resume();
    await session.release();
    expect(await home.apply(plan)).toMatchObject({ done: 0, skipped: 1 });
    expect(await home.sessions.get(id)).toBeDefined();
  });
});

describe('a session that nobody ended', () => {
  /** As a process leaves it that died. */
  async function leaveOpen(id: string, source = 'cli'): Promise<void> {
    await using home = await open();
    const session = await home.sessions.create({ id, source });
    await session.append(user('hello'));
  }

  it('stays under every request, however old', async () => {
    await leaveOpen('left');
    clock.advance(100 * DAY_MS);
    await using home = await open({ ...STRICT, 'sessions.abandon_after_hours': '10000' });
    await addNewer(home, 'cli');
    clock.advance(2 * DAY_MS);
    expect(await reasons(home, 'left')).toEqual(always('keep open'));
  });

  it('is closed by one pass and removed by a later one, once it has its age from the close', async () => {
    await leaveOpen('left');
    clock.advance(100 * DAY_MS);
    await using home = await open();
    await addNewer(home, 'cli');
    const retention = await home.retention();
    const endedAt = clock.now();
    const seen: string[] = [];
    for (let hour = 0; hour < 40; hour += 1) {
      await retention.maintain({ now: true });
      const facts = await home.sessions.get('left');
      if (facts !== undefined) expect(facts).toMatchObject({ endReason: 'abandoned', endedAt });
      seen.push(facts === undefined ? 'gone' : 'closed');
      clock.advance(HOUR_MS);
    }
    expect(seen.indexOf('gone')).toBeGreaterThanOrEqual(24);
    expect(await collect(retention.runs())).not.toEqual([]);
  });

  it('is closed whether or not anything is removed unattended, and taken up again by the next message', async () => {
    await leaveOpen('left');
    await using home = await open({});
    clock.advance(DAY_MS - 1);
    expect(await home.closeAbandoned()).toBe(0);
    clock.advance(1);
    expect(await home.closeAbandoned()).toBe(1);
    expect(await home.closeAbandoned()).toBe(0);
    const session = await home.sessions.open('left');
    expect(await session.facts()).toMatchObject({ endReason: 'abandoned', endedAt: clock.now() });
    await session.append(user('I am back'));
    expect((await session.facts()).endedAt).toBeUndefined();
  });

  it('is closed by whoever writes next, in the background', async () => {
    await leaveOpen('left');
    clock.advance(2 * DAY_MS);
    {
      await using other = await open({});
      await other.sessions.create({ source: 'api' });
    }
    await using home = await open({});
    expect(await home.sessions.get('left')).toMatchObject({ endReason: 'abandoned', endedAt: clock.now() });
  });

  it('is closed by the hours of its source, and not while it counts as used lately', async () => {
    for (const source of ['cli', 'api']) await leaveOpen(source, source);
    const settings = { 'sessions.abandon_after_hours': '1', 'sessions.by_source.api.abandon_after_hours': '48' };
    await using home = await open({ ...settings, 'sessions.active_grace_minutes': '90' });
    clock.advance(90 * MINUTE_MS);
    expect(await home.closeAbandoned()).toBe(0);
    clock.advance(1);
    expect(await home.closeAbandoned()).toBe(1);
    clock.advance(2 * DAY_MS);
    expect(await home.closeAbandoned()).toBe(1);
  });

  it('is not closed while a process holds it, nor by a clock that may be wrong', async () => {
    await leaveOpen('left');
    await using user1 = await open();
    await (await user1.sessions.create({ id: 'held', source: 'cli' })).append(user('hello'));
    await using at = await openEngineHome(path, { clock });
    await recordClock(at.parts.store, manualClock(NOW));
    clock.advance(500 * DAY_MS);
    expect(await closeAbandoned(at.parts)).toBe(0);
    clock.set(NOW + 100 * DAY_MS);
    expect(await closeAbandoned(at.parts)).toBe(1);
    expect((await user1.sessions.get('held'))?.endedAt).toBeUndefined();
  });

  it('is not closed under the hands of a process that comes back between the look and the close', async () => {
    await leaveOpen('left');
    clock.advance(100 * DAY_MS);
    await using other = await open();
    await using at = await openEngineHome(path, {
      clock,
      wrap: (store) =>
        new Proxy(store, {
          get(target, name) {
            if (name !== 'endUnused') {
              const value: unknown = Reflect.get(target, name, target);
              return typeof value === 'function' ? value.bind(target) : value;
            }
            return async (...args: Parameters<typeof store.endUnused>) => {
              await (await other.sessions.open('left')).append(user('I am back'));
              return store.endUnused(...args);
            };
          },
        }),
    });
    expect(await closeAbandoned(at.parts)).toBe(0);
    expect((await other.sessions.get('left'))?.endedAt).toBeUndefined();
  });
});

describe('a conversation that was started afresh', () => {
  const RESETS = { ...STRICT, 'sessions.retention_days': '90', 'session_reset.mode': 'idle' };
  const KEPT_DAYS = 5;

  it.each([
    ['keep', 6, true],
    ['drop-files', 6, false],
    ['remove', undefined, false],
  ] as const)('becomes what session_reset.after says: %s', async (after, messages, files) => {
    await using home = await open({ ...RESETS, 'session_reset.after': after });
    const { id, session } = await home.gateway.resolve(TELEGRAM);
    await session.appendAll(Array.from({ length: 6 }, () => user('hello')));
    await addNewer(home, 'telegram');
    clock.advance(2 * DAY_MS);
    expect(await home.gateway.resetIdle()).toEqual([TELEGRAM.key]);
    await (await home.retention()).maintain({ now: true });
    // Its least age counts from the reset, so nothing is closed and removed at once.
    expect((await session.files()).length).toBe(1);
    clock.advance(HOUR_MS);
    await maintain(home, KEPT_DAYS);
    expect((await home.sessions.get(id))?.messageCount).toBe(messages);
    expect((await session.files()).length > 0).toBe(files);
  });

  it('is undone like everything, and only concerns the source that is named', async () => {
    const settings = { ...RESETS, 'session_reset.by_source.telegram.after': 'remove' };
    await using home = await open(settings);
    const chats = [TELEGRAM, { key: 'slack:1', source: 'slack' }];
    const ids: string[] = [];
    for (const chat of chats) {
      const { id, session } = await home.gateway.resolve(chat);
      ids.push(id);
      await session.appendAll(Array.from({ length: 6 }, () => user('hello')));
      await addNewer(home, chat.source);
    }
    clock.advance(2 * DAY_MS);
    await home.gateway.resetIdle();
    clock.advance(2 * HOUR_MS);
    const plan = await home.plan();
    const fates = ids.map((id) => plan.decisions.find(({ item }) => item.id === id)?.reason);
    expect(fates).toEqual(['after-reset', 'not-expired']);
    const { run } = await home.apply(plan);
    expect(await home.sessions.get(ids[0] ?? '')).toBeUndefined();
    await home.undo(run.id);
    expect(await home.sessions.get(ids[0] ?? '')).toMatchObject({ endReason: 'reset: idle' });
  });

  it('is also one whose process had died, once a reset is due', async () => {
    await using home = await open(RESETS);
    const { id, session } = await home.gateway.resolve(TELEGRAM);
    await session.append(user('hello'));
    await session.end('crash');
    expect(await home.gateway.resetIdle()).toEqual([]);
    clock.advance(2 * DAY_MS);
    expect(await home.gateway.resetIdle()).toEqual([TELEGRAM.key]);
    expect(await home.sessions.get(id)).toMatchObject({ endReason: 'reset: idle', endedAt: clock.now() });
    expect(await home.gateway.resetIdle()).toEqual([]);
  });
});
