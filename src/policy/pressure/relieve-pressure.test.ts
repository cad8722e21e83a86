import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { anArchive, anInventory, aPolicy, aSession, aStray, aTrash } from '../../../test/support/inventories.ts';
import type { Inventory, SessionItem } from '../../core/retention/inventory.ts';
import type { Plan } from '../../core/retention/plan.ts';
import { DAY_MS } from '../../core/time.ts';
import { planRetention } from '../plan-retention.ts';

const fates = (plan: Plan) =>
  Object.fromEntries(plan.decisions.map(({ item, action, reason }) => [item.id, `${action} ${reason}`]));

describe('pressure', () => {
  it('gives up in order: trash, the wait in the trash, dumps, background transcripts, archive, sessions', () => {
    const bytes = { rows: 100, transcript: 100, dumps: 100, other: 0 };
    const inventory = anInventory({
      sessions: [
        aSession('expired', { lastActiveAt: NOW - 95 * DAY_MS, bytes }),
        aSession('cron-run', { source: 'cron', lastActiveAt: NOW - 50 * DAY_MS, bytes }),
        aSession('old', { lastActiveAt: NOW - 40 * DAY_MS, bytes }),
        aSession('newer', { lastActiveAt: NOW - 30 * DAY_MS, bytes }),
        aSession('newest', { lastActiveAt: NOW - 20 * DAY_MS, bytes }),
      ],
      trash: [aTrash('past', { sizeBytes: 300 }), aTrash('waiting', { removedAt: NOW - DAY_MS, sizeBytes: 300 })],
      strays: [aStray('debris', 'half')],
      archives: [anArchive('bundle', { sizeBytes: 60 })],
      disk: { usedBytes: 2260, freeBytes: 0 },
    });
    const planAt = (maxBytes: number) =>
      fates(
        planRetention(inventory, {
          policy: aPolicy({}, { disk: { forGood: true, maxBytes, lowWater: 1, bySource: {} } }),
          now: NOW,
        }),
      );
    // Expired trash and debris go by themselves, which leaves 1860.
    const calm = planAt(1860);
    expect(calm).toEqual({
      past: 'purge trash-expired',
      half: 'purge debris',
      waiting: 'keep in-grace',
      bundle: 'keep not-expired',
      expired: 'remove retention',
      'cron-run': 'keep keep-last',
      old: 'keep not-expired',
      newer: 'keep not-expired',
      newest: 'keep keep-last',
    });
    expect(planAt(1859)).toEqual({ ...calm, waiting: 'purge pressure' });
    const dumpsOf = { 'cron-run': 'drop-dumps pressure', old: 'drop-dumps pressure' };
    expect(planAt(1100)).toEqual({ ...calm, waiting: 'purge pressure', ...dumpsOf });
    const background = {
      ...calm,
      waiting: 'purge pressure',
      'cron-run': 'drop-files pressure',
      newest: 'drop-dumps pressure',
    };
    expect(planAt(800)).toEqual({ ...background, old: 'drop-dumps pressure', newer: 'drop-dumps pressure' });
    expect(planAt(620)).toEqual({ ...background, old: 'archive pressure', newer: 'drop-dumps pressure' });
    expect(planAt(400)).toEqual({
      ...background,
      bundle: 'remove pressure',
      old: 'remove pressure',
      newer: 'archive pressure',
    });
  });

  it('frees what goes anyway at once instead of through the trash, and says so', () => {
    const inventory = anInventory({
      sessions: [aSession('gone'), aSession('kept', { lastActiveAt: NOW - 2 * DAY_MS })],
      disk: { usedBytes: 200, freeBytes: 0 },
    });
    const policy = aPolicy({}, { disk: { forGood: true, maxBytes: 150, lowWater: 0.8, bySource: {} } });
    expect(planRetention(inventory, { policy, now: NOW }).decisions[0]).toEqual({
      item: { kind: 'session', id: 'gone' },
      sizeBytes: 100,
      action: 'remove',
      reason: 'retention',
      fingerprint: 'f-gone',
      skipsTrash: true,
    });
  });

  it('counts the part of the search index that goes along, so that it gives up no more than it must', () => {
    const sessions = Array.from({ length: 20 }, (_, at) =>
      aSession(`s${at}`, { lastActiveAt: NOW - (2 + at) * DAY_MS }),
    );
    const none = {
      strays: 0,
      trash: 0,
      archives: 0,
      checkpoints: 0,
      log: 0,
      reserve: 0,
      plans: 0,
      audit: 0,
      search: 0,
      caches: 0,
      other: 0,
    };
    const disk = { usedBytes: 6000, freeBytes: 0, parts: { ...none, sessions: 2000, index: 4000 } };
    const policy = aPolicy({}, { disk: { forGood: true, maxBytes: 5700, lowWater: 1, bySource: {} } });
    const goingWith = (facts: Inventory['disk']) =>
      planRetention(anInventory({ sessions, disk: facts }), { policy, now: NOW }).decisions.filter(
        ({ action }) => action !== 'keep',
      ).length;
    // An archived session of 100 bytes gives 80 back, and 200 of the index.
    expect(goingWith(disk)).toBe(2);
    expect(goingWith({ usedBytes: 6000, freeBytes: 0 })).toBe(4);
  });

  it('knows that the part of the search index goes along with what is in the trash, too', () => {
    const none = {
      strays: 0,
      archives: 0,
      checkpoints: 0,
      log: 0,
      reserve: 0,
      plans: 0,
      audit: 0,
      search: 0,
      caches: 0,
      other: 0,
    };
    const trash = [aTrash('waiting', { removedAt: NOW - DAY_MS, sizeBytes: 1000, rows: 900 })];
    const sessions = [
      aSession('s0', { lastActiveAt: NOW - 20 * DAY_MS }),
      aSession('s1', { lastActiveAt: NOW - DAY_MS }),
    ];
    const disk = { usedBytes: 3200, freeBytes: 0, parts: { ...none, sessions: 200, trash: 1000, index: 2000 } };
    // Without the trash and its part of the index, 1636 of 2000, there are 564 left.
    const limits = { maxBytes: 600, lowWater: 1, bySource: {} };
    const planned = (forGood: boolean) =>
      planRetention(anInventory({ sessions, trash, disk }), {
        policy: aPolicy({}, { disk: { ...limits, forGood } }),
        now: NOW,
      });
    const kept = { waiting: 'keep in-grace', s0: expect.stringMatching(/^keep/), s1: expect.stringMatching(/^keep/) };
    expect(fates(planned(false))).toEqual(kept);
    expect(planned(false).shortfalls).toEqual([]);
    expect(fates(planned(true))).toEqual({ ...kept, waiting: 'purge pressure' });
  });

  it('takes one session when the cap is exceeded by one byte', () => {
    const sessions = Array.from(
      { length: 100 },
      (_, at): SessionItem => aSession(`s${at}`, { lastActiveAt: NOW - (2 + at) * DAY_MS }),
    );
    const inventory: Inventory = anInventory({ sessions, disk: { usedBytes: 10_001, freeBytes: 0 } });
    const policy = aPolicy(
      { retentionMs: undefined },
      { disk: { forGood: true, maxBytes: 10_000, lowWater: 1, bySource: {} } },
    );
    const { decisions } = planRetention(inventory, { policy, now: NOW });
    expect(decisions.filter(({ action }) => action !== 'keep').map(({ item, action }) => [item.id, action])).toEqual([
      ['s99', 'archive'],
    ]);
  });

  it('takes the conversation whose newest part is oldest', () => {
    const sessions = [
      aSession('long', { lastActiveAt: NOW - 80 * DAY_MS }),
      aSession('long-2', { lastActiveAt: NOW - 10 * DAY_MS, parentId: 'long', childKind: 'continuation' }),
      aSession('short', { lastActiveAt: NOW - 40 * DAY_MS }),
      aSession('newest', { lastActiveAt: NOW - 2 * DAY_MS }),
    ];
    const inventory = anInventory({ sessions, disk: { usedBytes: 400, freeBytes: 0 } });
    const goingAt = (maxBytes: number) => {
      const policy = aPolicy({}, { disk: { forGood: true, maxBytes, lowWater: 1, bySource: {} } });
      const { decisions } = planRetention(inventory, { policy, now: NOW });
      return decisions.filter(({ action }) => action !== 'keep').map(({ item, action }) => `${action} ${item.id}`);
    };
    expect(goingAt(390)).toEqual(['archive short']);
    expect(goingAt(150)).toEqual(['remove short', 'archive long-2', 'archive long']);
  });

  it('says what blocks it, by reason', () => {
    const inventory = anInventory({
      sessions: [
        aSession('busy', { active: true }),
        aSession('pinned', { pinned: true, workdir: '/p' }),
        aSession('only'),
      ],
      disk: { usedBytes: 300, freeBytes: 0 },
    });
    const policy = aPolicy({}, { disk: { forGood: true, maxBytes: 100, lowWater: 0.5, bySource: {} } });
    const { shortfalls } = planRetention(inventory, { policy, now: NOW });
    expect(shortfalls).toEqual([{ bytes: 250, heldBytes: { active: 100, pinned: 100, 'keep-last': 100 } }]);
    const unsure = planRetention({ ...inventory, doubts: ['activity-unknown'] }, { policy, now: NOW });
    expect(unsure.shortfalls).toEqual([{ bytes: 250, heldBytes: { active: 100, pinned: 100, 'keep-last': 100 } }]);
  });

  it('does not count what is on its way to the trash against a source', () => {
    const sessions = [aSession('expired'), aSession('kept', { lastActiveAt: NOW - 2 * DAY_MS })];
    const planAt = (maxBytes: number) => {
      const policy = aPolicy({}, { disk: { forGood: true, lowWater: 1, bySource: { cli: { maxBytes } } } });
      return planRetention(anInventory({ sessions }), { policy, now: NOW });
    };
    expect(planAt(100).shortfalls).toEqual([]);
    expect(planAt(90).shortfalls).toEqual([{ source: 'cli', bytes: 10, heldBytes: { 'keep-last': 100 } }]);
    expect(planAt(90).decisions).toEqual(planAt(100).decisions);
  });

  it('frees a little more than the least free space, by as much as the low-water mark is below a cap', () => {
    const sessions = Array.from({ length: 20 }, (_, at) =>
      aSession(`s${at}`, { lastActiveAt: NOW - (2 + at) * DAY_MS }),
    );
    const policy = aPolicy({}, { disk: { forGood: true, minFreeBytes: 1000, lowWater: 0.8, bySource: {} } });
    const planWith = (freeBytes: number) =>
      planRetention(anInventory({ sessions, disk: { usedBytes: 2000, freeBytes } }), { policy, now: NOW });
    expect(planWith(1000).decisions.filter(({ action }) => action !== 'keep')).toEqual([]);
    // From 999 to 1200 bytes: three archived sessions give 80 each.
    expect(planWith(999).decisions.filter(({ action }) => action === 'archive')).toHaveLength(3);
  });
});
