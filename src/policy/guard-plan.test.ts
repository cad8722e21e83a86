import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { anInventory, aPolicy, aSession, aStray } from '../../test/support/inventories.ts';
import { always, anyScene, anyTightScene } from '../../test/support/scenes.ts';
import type { Inventory, SessionItem } from '../core/inventory.ts';
import type { GuardVerdict, Plan } from '../core/plan.ts';
import { DAY_MS } from '../core/time.ts';
import { guardPlan } from './guard-plan.ts';
import { planRetention } from './plan-retention.ts';

const OK: GuardVerdict = { status: 'ok' };

/** So many old sessions of one group, and so many recent ones. */
function sessionsOf(old: number, recent: number): SessionItem[] {
  return [
    ...Array.from({ length: old }, (_, at) => aSession(`old-${at}`)),
    ...Array.from({ length: recent }, (_, at) => aSession(`recent-${at}`, { lastActiveAt: NOW - 2 * DAY_MS })),
  ];
}

function guarded(inventory: Inventory, policy = aPolicy()): GuardVerdict {
  return guardPlan(planRetention(inventory, { policy, now: NOW }), { inventory, policy });
}

describe('the guard', () => {
  it('lets up to the largest number go, whatever share of all they are', () => {
    expect(guarded(anInventory({ sessions: sessionsOf(50, 1) }))).toEqual(OK);
    expect(guarded(anInventory({ sessions: sessionsOf(51, 1) }))).toEqual({
      status: 'refused',
      reasons: [
        { kind: 'too-many', of: 'sessions', count: 51, limit: 50 },
        { kind: 'too-many', of: 'items', count: 51, limit: 50 },
      ],
    });
  });

  it('lets up to the largest share go, whatever number they are', () => {
    expect(guarded(anInventory({ sessions: sessionsOf(200, 800) }))).toEqual(OK);
    expect(guarded(anInventory({ sessions: sessionsOf(201, 799) })).status).toBe('refused');
  });

  it('refuses when a lost database makes an orphan of every file', () => {
    const strays = Array.from({ length: 300 }, (_, at) => aStray('orphan', `sessions/${at}`));
    expect(guarded(anInventory({ strays }))).toEqual({
      status: 'refused',
      reasons: [{ kind: 'too-many', of: 'items', count: 300, limit: 60 }],
    });
  });

  it('refuses everything while its own limits are not numbers', () => {
    const policy = aPolicy({}, { guard: { maxItems: Number.NaN, maxPart: Number.NaN } });
    expect(guarded(anInventory({ sessions: sessionsOf(1, 1) }), policy).status).toBe('refused');
  });

  it('refuses a plan that empties a group, by whatever way it was made', () => {
    const inventory = anInventory({
      sessions: [aSession('only', { workdir: '/p' }), aSession('slight', { messageCount: 1 })],
    });
    const policy = aPolicy();
    const plan = planRetention(inventory, { policy, now: NOW, request: { kind: 'delete', ids: ['only', 'slight'] } });
    expect(guardPlan(plan, { inventory, policy })).toEqual({
      status: 'refused',
      reasons: [{ kind: 'empties-group', source: 'cli', workdir: '/p' }],
    });
  });

  it('never finds an emptied group in a plan made by the policy', () => {
    always(fc.oneof(anyScene, anyTightScene), ({ inventory, policy }) => {
      const plan = planRetention(inventory, { policy, now: NOW });
      const free = { ...policy, guard: { maxItems: 1000, maxPart: 1 } };
      expect(guardPlan(plan, { inventory, policy: free })).toEqual(OK);
    });
  });

  it('announces the first run instead of carrying it out, unless there is nothing to do', () => {
    always(fc.oneof(anyScene, anyTightScene), ({ inventory, policy }) => {
      const plan = planRetention(inventory, { policy, now: NOW });
      const goes = plan.decisions.some(({ action }) => action !== 'keep');
      const verdict = guardPlan(plan, {
        inventory,
        policy: { ...policy, guard: { maxItems: 1000, maxPart: 1 } },
        firstRun: true,
      });
      expect(verdict.status).toBe(goes ? 'refused' : 'ok');
    });
  });

  it('passes every plan that keeps everything', () => {
    always(anyScene, ({ inventory, policy }) => {
      const plan = planRetention({ ...inventory, doubts: ['activity-unknown'] }, { policy, now: NOW });
      expect(guardPlan(plan, { inventory, policy, firstRun: true, previousPlan: plan })).toEqual(OK);
    });
  });

  it('refuses the first plan under rules that let more go than those before', () => {
    const bytes = { rows: 10, transcript: 10, dumps: 0, other: 0 };
    const sessions = [
      aSession('a', { bytes, lastActiveAt: NOW - 50 * DAY_MS }),
      aSession('b', { lastActiveAt: NOW - 2 * DAY_MS }),
    ];
    const inventory = anInventory({ sessions });
    const planUnder = (days: number, filesDays?: number): Plan => {
      const transcriptRetentionMs = filesDays === undefined ? undefined : filesDays * DAY_MS;
      return planRetention(inventory, {
        policy: aPolicy({ retentionMs: days * DAY_MS, transcriptRetentionMs }),
        now: NOW,
      });
    };
    const verdict = (plan: Plan, previousPlan: Plan) => guardPlan(plan, { inventory, policy: aPolicy(), previousPlan });
    const stricter = { status: 'refused', reasons: [{ kind: 'stricter-policy', count: 1 }] };
    expect(verdict(planUnder(30), planUnder(90))).toEqual(stricter);
    expect(verdict(planUnder(30), planUnder(90, 30))).toEqual(stricter);
    expect(verdict(planUnder(90, 30), planUnder(30))).toEqual(OK);
    expect(verdict(planUnder(30), planUnder(40))).toEqual(OK);
  });
});
