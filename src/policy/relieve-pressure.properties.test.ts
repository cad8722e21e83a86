import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import {
  afterPlan,
  always,
  anyScene,
  anyTightScene,
  conversationOf,
  freedBytes,
  freedLater,
  type Scene,
} from '../../test/support/scenes.ts';
import { type Inventory, itemBytes } from '../core/retention/inventory.ts';
import { type Decision, isRemoval, needsConsent, type Plan, withWayBack } from '../core/retention/plan.ts';
import type { DiskRules } from '../core/retention/policy.ts';
import { planRetention } from './plan-retention.ts';

const NO_LIMITS: DiskRules = { forGood: true, lowWater: 1, bySource: {} };

function plansOf({ inventory, policy }: Scene): { plan: Plan; base: Plan } {
  return {
    plan: planRetention(inventory, { policy, now: NOW }),
    base: planRetention(inventory, { policy: { ...policy, disk: NO_LIMITS }, now: NOW }),
  };
}

type Measure = (decision: Decision) => number;

/** What is missing to the low-water mark where a limit is exceeded after a plan, by one measure of what it frees. */
function neededBytes({ inventory: { disk }, policy }: Scene, plan: Plan, measure: Measure): number {
  const freed = sum(plan.decisions.map(measure));
  const { maxBytes = Infinity, minFreeBytes = 0, lowWater } = policy.disk;
  const [used, free] = [disk.usedBytes - freed, disk.freeBytes + freed];
  const overCap = used > maxBytes ? used - Math.floor(maxBytes * lowWater) : 0;
  const underFree = free < minFreeBytes ? Math.ceil(minFreeBytes * (2 - lowWater)) - free : 0;
  return Math.max(overCap, underFree);
}

/** Bytes freed in the end beyond the base plan, by item or whole conversation. */
function extraFreed({ inventory }: Scene, { plan, base }: { plan: Plan; base: Plan }): number[] {
  const before = new Map(base.decisions.map((decision) => [keyOf(decision), freedLater(decision)]));
  const bySubject = new Map<string, number>();
  for (const decision of plan.decisions) {
    const { kind, id } = decision.item;
    const first = kind === 'session' ? [...conversationOf(inventory.sessions, id)].toSorted()[0] : id;
    const extra = freedLater(decision) - (before.get(keyOf(decision)) ?? 0);
    bySubject.set(`${kind} ${first}`, (bySubject.get(`${kind} ${first}`) ?? 0) + extra);
  }
  return [...bySubject.values()].filter((bytes) => bytes !== 0);
}

const keyOf = ({ item }: Decision) => `${item.kind} ${item.id}`;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('pressure', () => {
  it('does nothing while no limit is exceeded', () => {
    always(anyTightScene, (scene) => {
      const plans = plansOf(scene);
      if (neededBytes(scene, plans.base, freedBytes) === 0) expect(plans.plan).toEqual(plans.base);
    });
  });

  it('reaches the low-water mark in the end, or says exactly how many bytes are missing', () => {
    always(anyTightScene, (scene) => {
      const plans = plansOf(scene);
      const missing = neededBytes(scene, plans.base, freedLater) - sum(extraFreed(scene, plans));
      expect(plans.plan.shortfalls.map(({ bytes }) => bytes)).toEqual(missing > 0 ? [missing] : []);
    });
  });

  it('gives up nothing that it could do without', () => {
    always(anyTightScene, (scene) => {
      const plans = plansOf(scene);
      const needed = neededBytes(scene, plans.base, freedLater);
      const extra = extraFreed(scene, plans);
      const freed = sum(extra);
      for (const bytes of extra) {
        expect(bytes).toBeGreaterThan(0);
        expect(freed - bytes).toBeLessThan(needed);
      }
    });
  });

  it('holds the limits at once where something may go for good, or says what is missing', () => {
    always(anyTightScene, (scene) => {
      const { plan } = plansOf(scene);
      if (plan.shortfalls.length === 0) expect(neededBytes(scene, plan, freedBytes)).toBe(0);
    });
  });

  it('lets go for good of nothing that could have a way back', () => {
    always(anyTightScene, (scene) => {
      const { plan } = plansOf(scene);
      const needed = neededBytes(scene, withWayBack(plan), freedBytes);
      const lost = new Map<string, number>();
      for (const decision of plan.decisions.filter(needsConsent)) {
        const { kind, id } = decision.item;
        const whole = kind === 'session' ? [...conversationOf(scene.inventory.sessions, id)].toSorted()[0] : id;
        lost.set(`${kind} ${whole}`, (lost.get(`${kind} ${whole}`) ?? 0) + decision.sizeBytes);
      }
      const freed = sum([...lost.values()]);
      for (const bytes of lost.values()) expect(freed - bytes).toBeLessThan(needed);
    });
  });

  it('lets nothing go for good where that was not allowed, and gives up the same things', () => {
    always(anyTightScene, (scene) => {
      const disk = { ...scene.policy.disk, forGood: false };
      const { plan } = plansOf({ ...scene, policy: { ...scene.policy, disk } });
      expect(plan.decisions.filter(needsConsent)).toEqual([]);
      const { plan: freely } = plansOf(scene);
      expect(plan.decisions.filter(isRemoval)).toEqual(withWayBack(freely).decisions.filter(isRemoval));
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
      'routed',
      'open',
      'pinned',
      'lineage-active',
      'lineage-pinned',
      'lineage-kept',
      'future',
      'unreadable',
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
      if (neededBytes(scene, plan, freedBytes) > 0) expect(reasons).not.toContain('in-grace');
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
      if (sum(inTrash) < neededBytes(scene, plans.base, freedBytes)) return;
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
      expect(sum(bytes)).toBeLessThan(neededBytes(scene, plans.base, freedLater));
    });
  });

  it('brings a source under its own limit with what belongs to that source', () => {
    always(fc.tuple(anyScene, fc.integer({ min: 1, max: 800 })), ([{ inventory, policy }, maxBytes]) => {
      const sessions = inventory.sessions.map(({ childKind: _, ...session }) => session);
      const disk = {
        forGood: true,
        lowWater: 0.85,
        bySource: { cli: { maxBytes }, telegram: { maxBytes: 2 * maxBytes } },
      };
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
});

function bytesOf({ sessions, archives }: Inventory, source: string): number {
  return sum([...sessions, ...archives].filter((item) => item.source === source).map(itemBytes));
}
