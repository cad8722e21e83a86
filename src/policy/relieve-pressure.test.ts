import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { anArchive, anInventory, aPolicy, aSession, aStray, aTrash } from '../../test/support/inventories.ts';
import {
  afterPlan,
  always,
  anyScene,
  anyTightScene,
  conversationOf,
  freedBytes,
  type Scene,
} from '../../test/support/scenes.ts';
import { type Inventory, itemBytes, type SessionItem } from '../core/inventory.ts';
import type { Decision, Plan } from '../core/plan.ts';
import type { DiskRules } from '../core/policy.ts';
import { DAY_MS } from '../core/time.ts';
import { planRetention } from './plan-retention.ts';

const NO_LIMITS: DiskRules = { lowWater: 1, bySource: {} };

function plansOf({ inventory, policy }: Scene): { plan: Plan; base: Plan } {
  return {
    plan: planRetention(inventory, { policy, now: NOW }),
    base: planRetention(inventory, { policy: { ...policy, disk: NO_LIMITS }, now: NOW }),
  };
}

/** What is missing to the low-water mark when the rules that are not about size have had their way. */
function neededBytes({ inventory: { disk }, policy }: Scene, base: Plan): number {
  const freed = sum(base.decisions.map(freedBytes));
  const { maxBytes = Infinity, minFreeBytes = 0, lowWater } = policy.disk;
  const [used, free] = [disk.usedBytes - freed, disk.freeBytes + freed];
  const overCap = used > maxBytes ? used - Math.floor(maxBytes * lowWater) : 0;
  const underFree = free < minFreeBytes ? Math.ceil(minFreeBytes * (2 - lowWater)) - free : 0;
  return Math.max(overCap, underFree);
}

/** Bytes freed beyond the base plan, by item or whole conversation. */
function extraFreed({ inventory }: Scene, { plan, base }: { plan: Plan; base: Plan }): number[] {
  const before = new Map(base.decisions.map((decision) => [keyOf(decision), freedBytes(decision)]));
  const bySubject = new Map<string, number>();
  for (const decision of plan.decisions) {
    const { kind, id } = decision.item;
    const first = kind === 'session' ? [...conversationOf(inventory.sessions, id)].toSorted()[0] : id;
    const extra = freedBytes(decision) - (before.get(keyOf(decision)) ?? 0);
    bySubject.set(`${kind} ${first}`, (bySubject.get(`${kind} ${first}`) ?? 0) + extra);
  }
  return [...bySubject.values()].filter((bytes) => bytes !== 0);
}

const keyOf = ({ item }: Decision) => `${item.kind} ${item.id}`;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const fates = (plan: Plan) =>
  Object.fromEntries(plan.decisions.map(({ item, action, reason }) => [item.id, `${action} ${reason}`]));

describe('pressure', () => {
  it('does nothing while no limit is exceeded', () => {
    always(anyTightScene, (scene) => {
      const plans = plansOf(scene);
      if (neededBytes(scene, plans.base) === 0) expect(plans.plan).toEqual(plans.base);
    });
  });

  it('reaches the low-water mark, or says exactly how many bytes are missing', () => {
    always(anyTightScene, (scene) => {
      const plans = plansOf(scene);
      const missing = neededBytes(scene, plans.base) - sum(extraFreed(scene, plans));
      expect(plans.plan.shortfalls.map(({ bytes }) => bytes)).toEqual(missing > 0 ? [missing] : []);
    });
  });

  it('takes nothing that it could do without', () => {
    always(anyTightScene, (scene) => {
      const plans = plansOf(scene);
      const needed = neededBytes(scene, plans.base);
      const extra = extraFreed(scene, plans);
      const freed = sum(extra);
      for (const bytes of extra) {
        expect(bytes).toBeGreaterThan(0);
        expect(freed - bytes).toBeLessThan(needed);
      }
    });
  });

  it('never softens what the other rules decided', () => {
    const strength = ['keep', 'drop-dumps', 'drop-files', 'archive', 'remove', 'purge'];
    const limit = fc.constantFrom({}, { cli: { maxBytes: 100 }, cron: { maxBytes: 1 } });
    always(fc.tuple(anyTightScene, limit), ([{ inventory, policy }, bySource]) => {
      const { plan, base } = plansOf({ inventory, policy: { ...policy, disk: { ...policy.disk, bySource } } });
      for (const [at, { action }] of plan.decisions.entries()) {
        const before = base.decisions[at]?.action ?? 'purge';
        expect(strength.indexOf(action)).toBeGreaterThanOrEqual(strength.indexOf(before));
      }
    });
  });

  it('never crosses a hold, a tag or a floor', () => {
    const protects = new Set<string>([
      'active',
      'pinned',
      'lineage-active',
      'lineage-pinned',
      'lineage-kept',
      'future',
      'unreadable',
      'open',
      'young',
      'tagged',
    ]);
    always(anyTightScene, (scene) => {
      const { plan, base } = plansOf(scene);
      for (const [at, { reason, action }] of base.decisions.entries()) {
        const now = plan.decisions[at];
        if (action === 'keep' && protects.has(reason)) expect(now?.reason).toBe(reason);
        if (reason === 'keep-last') expect(['keep', 'drop-files', 'drop-dumps']).toContain(now?.action);
      }
    });
  });

  it('leaves nothing behind that is free to go when the mark is out of reach', () => {
    always(anyTightScene, (scene) => {
      const { plan } = plansOf(scene);
      if (plan.shortfalls.length === 0) return;
      const reasons = plan.decisions
        .filter(({ action, sizeBytes }) => action === 'keep' && sizeBytes > 0)
        .map(({ reason }) => reason);
      expect(reasons).not.toContain('not-expired');
      expect(reasons).not.toContain('in-grace');
    });
  });

  it('names what stands in the way, and no more bytes than are left', () => {
    always(anyTightScene, (scene) => {
      const { plan } = plansOf(scene);
      const left = afterPlan(scene.inventory, plan);
      for (const { heldBytes } of plan.shortfalls) {
        const items = [...left.sessions, ...left.strays, ...left.trash, ...left.archives];
        expect(sum(Object.values(heldBytes))).toBe(sum(items.map(itemBytes)));
      }
    });
  });

  it('leaves the sessions alone when the trash is enough', () => {
    always(anyTightScene, (scene) => {
      const plans = plansOf(scene);
      const inTrash = plans.base.decisions
        .filter(({ reason }) => reason === 'in-grace')
        .map(({ sizeBytes }) => sizeBytes);
      if (sum(inTrash) < neededBytes(scene, plans.base)) return;
      for (const { item, reason } of plans.plan.decisions) if (reason === 'pressure') expect(item.kind).toBe('trash');
    });
  });

  it('removes sessions for space only when archiving all that may be archived is not enough', () => {
    always(anyTightScene, (scene) => {
      const plans = plansOf(scene);
      const removed = plans.plan.decisions.some(
        ({ item, action, reason }) => item.kind === 'session' && action === 'remove' && reason === 'pressure',
      );
      if (!removed) return;
      const archivable = new Set(
        plans.base.decisions.flatMap(({ item, reason }) =>
          item.kind === 'session' && reason === 'not-expired' ? [item.id] : [],
        ),
      );
      const bytes = scene.inventory.sessions
        .filter(({ id }) => archivable.has(id))
        .map((session) => (itemBytes(session) / 5) * 4);
      expect(sum(bytes)).toBeLessThan(neededBytes(scene, plans.base));
    });
  });

  it('brings a source under its own limit with what belongs to that source', () => {
    always(fc.tuple(anyScene, fc.integer({ min: 1, max: 800 })), ([{ inventory, policy }, maxBytes]) => {
      const sessions = inventory.sessions.map(({ childKind: _, ...session }) => session);
      const disk = { lowWater: 0.85, bySource: { cli: { maxBytes }, telegram: { maxBytes: 2 * maxBytes } } };
      const scene = { inventory: { ...inventory, sessions }, policy: { ...policy, disk } };
      const { plan, base } = plansOf(scene);
      const after = afterPlan(scene.inventory, plan);
      for (const [source, limit] of Object.entries(disk.bySource)) {
        const short = plan.shortfalls.find((shortfall) => shortfall.source === source)?.bytes ?? 0;
        expect(bytesOf(after, source) - short).toBeLessThanOrEqual(limit.maxBytes);
      }
      const sourceOf = new Map(
        [...sessions, ...inventory.archives].map(({ kind, id, source }) => [`${kind} ${id}`, source]),
      );
      for (const [at, decision] of plan.decisions.entries()) {
        if (!Object.hasOwn(disk.bySource, sourceOf.get(keyOf(decision)) ?? ''))
          expect(decision).toEqual(base.decisions[at]);
      }
      expect(
        planRetention(after, { policy: scene.policy, now: NOW }).decisions.filter(({ action }) => action !== 'keep'),
      ).toEqual([]);
    });
  });

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
        planRetention(inventory, { policy: aPolicy({}, { disk: { maxBytes, lowWater: 1, bySource: {} } }), now: NOW }),
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
    const policy = aPolicy({}, { disk: { maxBytes: 150, lowWater: 0.8, bySource: {} } });
    expect(planRetention(inventory, { policy, now: NOW }).decisions[0]).toEqual({
      item: { kind: 'session', id: 'gone' },
      sizeBytes: 100,
      action: 'remove',
      reason: 'retention',
      fingerprint: 'f-gone',
      skipsTrash: true,
    });
  });

  it('takes one session when the cap is exceeded by one byte', () => {
    const sessions = Array.from(
      { length: 100 },
      (_, at): SessionItem => aSession(`s${at}`, { lastActiveAt: NOW - (2 + at) * DAY_MS }),
    );
    const inventory: Inventory = anInventory({ sessions, disk: { usedBytes: 10_001, freeBytes: 0 } });
    const policy = aPolicy({ retentionMs: undefined }, { disk: { maxBytes: 10_000, lowWater: 1, bySource: {} } });
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
      const policy = aPolicy({}, { disk: { maxBytes, lowWater: 1, bySource: {} } });
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
    const policy = aPolicy({}, { disk: { maxBytes: 100, lowWater: 0.5, bySource: {} } });
    const { shortfalls } = planRetention(inventory, { policy, now: NOW });
    expect(shortfalls).toEqual([{ bytes: 250, heldBytes: { active: 100, pinned: 100, 'keep-last': 100 } }]);
    const unsure = planRetention({ ...inventory, doubts: ['activity-unknown'] }, { policy, now: NOW });
    expect(unsure.shortfalls).toEqual([{ bytes: 250, heldBytes: { active: 100, pinned: 100, 'keep-last': 100 } }]);
  });

  it('does not count what is on its way to the trash against a source', () => {
    const sessions = [aSession('expired'), aSession('kept', { lastActiveAt: NOW - 2 * DAY_MS })];
    const planAt = (maxBytes: number) => {
      const policy = aPolicy({}, { disk: { lowWater: 1, bySource: { cli: { maxBytes } } } });
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
    const policy = aPolicy({}, { disk: { minFreeBytes: 1000, lowWater: 0.8, bySource: {} } });
    const planWith = (freeBytes: number) =>
      planRetention(anInventory({ sessions, disk: { usedBytes: 2000, freeBytes } }), { policy, now: NOW });
    expect(planWith(1000).decisions.filter(({ action }) => action !== 'keep')).toEqual([]);
    // From 999 to 1200 bytes: three archived sessions give 80 each.
    expect(planWith(999).decisions.filter(({ action }) => action === 'archive')).toHaveLength(3);
  });
});

function bytesOf({ sessions, archives }: Inventory, source: string): number {
  return sum([...sessions, ...archives].filter((item) => item.source === source).map(itemBytes));
}
