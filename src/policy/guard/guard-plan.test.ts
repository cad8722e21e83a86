import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { anInventory, aPolicy, aSession, aStray, aTrash } from '../../../test/support/inventories.ts';
import { always, anyScene, anyTightScene } from '../../../test/support/scenes.ts';
import type { Inventory, SessionItem } from '../../core/retention/inventory.ts';
import type { GuardMemory } from '../../core/retention/maintenance.ts';
import { isRemoval, type Plan } from '../../core/retention/plan.ts';
import type { Policy } from '../../core/retention/policy.ts';
import { DAY_MS, type EpochMs, MINUTE_MS } from '../../core/time.ts';
import { planRetention } from '../plan-retention.ts';
import { longestWaitMs } from './guard-notices.ts';
import { type GuardOptions, guardPlan } from './guard-plan.ts';

const NOTICE_MS = 3 * DAY_MS;

/** So many old sessions of one group, and so many recent ones. Each began on a day of its own, so that none is steady. */
function sessionsOf(old: number, recent: number): SessionItem[] {
  return [
    ...Array.from({ length: old }, (_, at) => aSession(`old-${at}`, { startedAt: NOW - (200 + at) * DAY_MS })),
    ...Array.from({ length: recent }, (_, at) =>
      aSession(`recent-${at}`, { startedAt: NOW - (2000 + at) * DAY_MS, lastActiveAt: NOW - 2 * DAY_MS }),
    ),
  ];
}

interface Given extends Partial<Omit<GuardOptions, 'inventory'>> {
  readonly plan?: Plan;
}

/** A home that was looked at before under the same rules, unless something else is given. */
function guarded(inventory: Inventory, given: Given = {}) {
  const policy = given.policy ?? aPolicy();
  const plan = given.plan ?? planRetention(inventory, { policy, now: inventory.scannedAt });
  const memory = given.memory ?? { lastAt: inventory.scannedAt - DAY_MS, policy };
  const result = guardPlan(plan, { inventory, intervalMs: DAY_MS, ...given, policy, memory });
  return { ...result, gone: result.allowed.decisions.filter(isRemoval).map(({ item }) => item.id) };
}

function going({ decisions }: Plan): number {
  return decisions.filter(isRemoval).length;
}

describe('the guard', () => {
  it('lets up to the largest number go at once, whatever share of all they are, and the oldest of more', () => {
    expect(guarded(anInventory({ sessions: sessionsOf(50, 1) })).waiting).toBeUndefined();
    const { waiting, gone } = guarded(anInventory({ sessions: sessionsOf(60, 1) }));
    expect(gone).toHaveLength(50);
    expect(waiting).toEqual({
      items: 10,
      sizeBytes: 1000,
      reasons: [{ kind: 'too-many', of: 'sessions', count: 60, limit: 50 }],
      until: NOW + NOTICE_MS,
    });
  });

  it('lets up to the largest share go at once, whatever number they are', () => {
    expect(guarded(anInventory({ sessions: sessionsOf(200, 800) })).waiting).toBeUndefined();
    expect(guarded(anInventory({ sessions: sessionsOf(201, 799) })).waiting?.items).toBe(1);
  });

  it('takes the oldest and the cheapest first', () => {
    const bytes = { rows: 10, transcript: 10, dumps: 0, other: 0 };
    const old = sessionsOf(3, 0);
    const files = Array.from({ length: 2 }, (_, at) =>
      aSession(`files-${at}`, { bytes, startedAt: NOW - at * DAY_MS, lastActiveAt: NOW - 50 * DAY_MS }),
    );
    const policy = aPolicy(
      { transcriptRetentionMs: 30 * DAY_MS },
      { guard: { maxItems: 3, maxPart: 0.01, noticeMs: NOTICE_MS } },
    );
    const newest = aSession('newest', { lastActiveAt: NOW - 2 * DAY_MS });
    const oldest = aSession('oldest', { startedAt: NOW - 900 * DAY_MS, lastActiveAt: NOW - 900 * DAY_MS });
    const { gone } = guarded(anInventory({ sessions: [...old, ...files, newest, oldest] }), { policy });
    expect(gone.toSorted()).toEqual(['files-0', 'files-1', 'oldest']);
  });

  it('takes a conversation as a whole or not at all', () => {
    const parts = Array.from({ length: 4 }, (_, at) =>
      aSession(`part-${at}`, {
        startedAt: NOW - (500 - at) * DAY_MS,
        ...(at > 0 && { parentId: `part-${at - 1}`, childKind: 'continuation' as const }),
      }),
    );
    const policy = aPolicy({}, { guard: { maxItems: 3, maxPart: 0.01, noticeMs: NOTICE_MS } });
    const { gone } = guarded(anInventory({ sessions: [...parts, ...sessionsOf(4, 1)] }), { policy });
    expect(gone).toHaveLength(3);
    expect(gone.filter((id) => id.startsWith('part'))).toEqual([]);
  });

  it('slows down a lost database that makes an orphan of every file', () => {
    const strays = Array.from({ length: 300 }, (_, at) => aStray('orphan', `sessions/${at}`));
    const { gone, waiting } = guarded(anInventory({ strays }));
    expect(gone).toHaveLength(60);
    expect(waiting?.reasons).toEqual([{ kind: 'too-many', of: 'items', count: 300, limit: 60 }]);
  });

  it('lets nothing go at once while its own limits are not numbers', () => {
    const policy = aPolicy({}, { guard: { maxItems: Number.NaN, maxPart: Number.NaN, noticeMs: NOTICE_MS } });
    expect(guarded(anInventory({ sessions: sessionsOf(1, 1) }), { policy }).gone).toEqual([]);
  });

  it('puts off what empties a group, by whatever way the plan was made', () => {
    const inventory = anInventory({
      sessions: [aSession('only', { workdir: '/p' }), aSession('slight', { messageCount: 1 })],
    });
    const request = { kind: 'delete', ids: ['only', 'slight'] } as const;
    const plan = planRetention(inventory, { policy: aPolicy(), now: NOW, request });
    const { gone, waiting } = guarded(inventory, { plan });
    expect(gone).toEqual(['slight']);
    expect(waiting?.reasons).toEqual([{ kind: 'empties-group', source: 'cli', workdir: '/p' }]);
  });

  it('never finds an emptied group in a plan made by the policy', () => {
    always(fc.oneof(anyScene, anyTightScene), ({ inventory, policy }) => {
      const free = { ...policy, guard: { maxItems: 1000, maxPart: 1, noticeMs: NOTICE_MS } };
      expect(guarded(inventory, { policy: free }).waiting?.reasons.map(({ kind }) => kind) ?? []).not.toContain(
        'empties-group',
      );
    });
  });

  it('asks of a whole conversation whether its group may be emptied, as the rules do', () => {
    const began = aSession('began', { workdir: '/p' });
    const reset = aSession('went-on', { workdir: '/q', parentId: 'began', childKind: 'continuation', reset: true });
    const policy = aPolicy({ afterReset: 'remove' });
    expect(guarded(anInventory({ sessions: [began, reset] }), { policy }).gone.toSorted()).toEqual([
      'began',
      'went-on',
    ]);
  });

  it('only announces on the first pass, but for what nobody would miss', () => {
    const debris = aStray('debris', 'sessions/x');
    const { gone, waiting, memory } = guarded(
      anInventory({ sessions: sessionsOf(2, 1), strays: [debris], trash: [aTrash('expired')] }),
      { memory: {} },
    );
    expect(gone.toSorted()).toEqual(['expired', 'sessions/x']);
    expect(waiting).toMatchObject({ items: 2, reasons: [{ kind: 'first-run', count: 2 }], until: NOW + NOTICE_MS });
    expect(memory.notices).toMatchObject([{ at: NOW, goesAt: NOW + NOTICE_MS }]);
  });

  it('passes every plan that keeps everything', () => {
    always(anyScene, ({ inventory, policy }) => {
      const doubtful: Inventory = { ...inventory, doubts: ['activity-unknown'] };
      expect(guarded(doubtful, { policy, memory: {} }).waiting).toBeUndefined();
    });
  });

  it('never lets anything go that the plan keeps, and says of all the rest that it waits', () => {
    always(fc.oneof(anyScene, anyTightScene), ({ inventory, policy }) => {
      const plan = planRetention(inventory, { policy, now: NOW });
      for (const memory of [{}, { policy }, { policy, heldSince: NOW - 1 }]) {
        const { allowed, waiting } = guarded(inventory, { policy, plan, memory });
        expect(new Set(plan.decisions)).toEqual(new Set([...allowed.decisions, ...plan.decisions.filter(isRemoval)]));
        expect(going(allowed) + (waiting?.items ?? 0)).toBe(going(plan));
      }
    });
  });

  it('announces what only stricter rules let go of, and lets go of the rest', () => {
    const inventory = anInventory({
      sessions: [
        aSession('old'),
        aSession('older', { lastActiveAt: NOW - 50 * DAY_MS }),
        aSession('new', { lastActiveAt: NOW - 2 * DAY_MS }),
      ],
    });
    const before = aPolicy({ retentionMs: 90 * DAY_MS });
    const policy = aPolicy({ retentionMs: 30 * DAY_MS });
    const first = guarded(inventory, { policy, memory: { policy: before } });
    expect(first.gone).toEqual(['old']);
    expect(first.waiting).toMatchObject({ reasons: [{ kind: 'stricter-policy', count: 1 }], until: NOW + NOTICE_MS });
    const at = (now: EpochMs) => ({ ...inventory, sessions: inventory.sessions.slice(1), scannedAt: now });
    // The next pass still knows that they were changed, and the one after the notice takes it.
    const second = guarded(at(NOW + DAY_MS), { policy, memory: first.memory });
    expect(second.gone).toEqual([]);
    expect(second.waiting?.until).toBe(NOW + NOTICE_MS);
    expect(guarded(at(NOW + NOTICE_MS), { policy, memory: second.memory }).gone).toEqual(['older']);
  });

  it('lets everything go at its announced date, and nothing that was used or came since', () => {
    const sessions = sessionsOf(300, 1);
    const first = guarded(anInventory({ sessions }), { memory: {} });
    const later = NOW + NOTICE_MS;
    const used = sessions.map((session, at) =>
      at < 10 ? { ...session, lastActiveAt: NOW + DAY_MS, endedAt: NOW + DAY_MS } : session,
    );
    const old = Array.from({ length: 300 }, (_, at) =>
      aSession(`came-${at}`, { startedAt: NOW - (900 + at) * DAY_MS, lastActiveAt: later - 89.5 * DAY_MS }),
    );
    const second = guarded(anInventory({ sessions: [...used, ...old], scannedAt: later }), { memory: first.memory });
    expect(second.gone).toHaveLength(290);
    expect(second.gone.some((id) => id.startsWith('came'))).toBe(false);
  });

  it('lets nothing go that a person holds, and begins the notice anew when it is released', () => {
    const inventory = anInventory({ sessions: sessionsOf(300, 1), trash: [aTrash('expired')] });
    const policy = aPolicy();
    const notices = [{ at: NOW - 9 * DAY_MS, goesAt: NOW - DAY_MS, policy }];
    const held = guarded(inventory, { memory: { policy, notices, heldSince: NOW - DAY_MS } });
    expect(held.gone).toEqual(['expired']);
    expect(held.waiting).toMatchObject({ items: 300, reasons: [{ kind: 'held', since: NOW - DAY_MS }] });
    expect(held.waiting?.until).toBeUndefined();
    const { heldSince: _, ...released } = held.memory;
    expect(guarded(inventory, { memory: released }).waiting?.until).toBe(NOW + NOTICE_MS);
  });

  it('lets all of it go when a person allows it, and holds it no longer', () => {
    const inventory = anInventory({ sessions: sessionsOf(300, 1) });
    const { gone, waiting, memory } = guarded(inventory, { memory: { heldSince: NOW }, allow: true });
    expect([gone.length, waiting, memory.heldSince]).toEqual([300, undefined, undefined]);
  });

  it('does not slow down what a cap asks for, but does where other programs fill the disk', () => {
    const sessions = sessionsOf(0, 400);
    const roomy = { maxItems: 5, maxPart: 0.01, noticeMs: NOTICE_MS };
    const disk = { forGood: true, lowWater: 0.5, bySource: {} };
    const capped = aPolicy({ keepLast: 1 }, { guard: roomy, disk: { ...disk, maxBytes: 30_000 } });
    expect(
      guarded(anInventory({ sessions, disk: { usedBytes: 40_000, freeBytes: 1e12 } }), { policy: capped }).waiting,
    ).toBeUndefined();
    const short = aPolicy({ keepLast: 1 }, { guard: roomy, disk: { ...disk, minFreeBytes: 30_000 } });
    const { waiting } = guarded(anInventory({ sessions, disk: { usedBytes: 40_000, freeBytes: 10 } }), {
      policy: short,
    });
    expect(waiting?.items).toBeGreaterThan(300);
  });

  it('announces before the trash is emptied for its size', () => {
    const trash = [1, 2, 3].map((day) => aTrash(`run-${day}`, { removedAt: NOW - day * DAY_MS, sizeBytes: 100 }));
    const policy = aPolicy({}, { trash: { maxBytes: 150 } });
    const first = guarded(anInventory({ trash }), { policy });
    expect(first.gone).toEqual([]);
    expect(first.waiting?.reasons).toEqual([{ kind: 'trash-size', count: 2 }]);
    const later = anInventory({ trash, scannedAt: NOW + NOTICE_MS });
    expect(guarded(later, { policy, memory: first.memory }).gone).toEqual(['run-3', 'run-2']);
  });
});

describe('what piled up', () => {
  /** A job every 15 minutes, kept for some days, with one pass a day; on the days named, the machine is off. */
  function simulate(retentionDays: number, days: number, off: ReadonlySet<number>): number[] {
    const policy = aPolicy({ retentionMs: retentionDays * DAY_MS, minAgeMs: DAY_MS });
    let sessions: SessionItem[] = [];
    let memory: GuardMemory = {};
    const counts: number[] = [];
    for (let day = 0; day < days; day += 1) {
      if (!off.has(day)) {
        const now = NOW + (day + 1) * DAY_MS;
        const arrived = Array.from({ length: 96 }, (_, at) =>
          aSession(`${day}-${at}`, { source: 'cron', lastActiveAt: now - (at + 1) * 15 * MINUTE_MS }),
        );
        sessions.push(...arrived);
        const inventory = anInventory({ sessions, scannedAt: now });
        const { gone, memory: next } = guarded(inventory, { policy, memory });
        const left = new Set(gone);
        sessions = sessions.filter(({ id }) => !left.has(id));
        memory = next;
      }
      counts.push(sessions.length);
    }
    return counts;
  }

  it('is gone soon after the machine was off for two days', () => {
    const counts = simulate(7, 21, new Set([10, 11]));
    expect(counts.at(-1)).toBeLessThanOrEqual(7 * 96 + 96);
    expect(Math.max(...counts.slice(13))).toBeLessThanOrEqual(8 * 96);
  });

  it('is removed day by day although that is a large share of all', () => {
    expect(Math.max(...simulate(2, 21, new Set()).slice(7))).toBeLessThanOrEqual(3 * 96);
  });

  it('is gone after a known number of passes, whatever there was and however long nobody looked', () => {
    const scenario = fc.record({
      old: fc.integer({ min: 0, max: 400 }),
      offDays: fc.integer({ min: 0, max: 60 }),
      passHours: fc.constantFrom(1, 6, 24, 72, 200),
      maxItems: fc.constantFrom(1, 5, 50),
      first: fc.boolean(),
    });
    fc.assert(
      fc.property(scenario, ({ old, offDays, passHours, maxItems, first }) => {
        const intervalMs = (passHours / 24) * DAY_MS;
        const policy: Policy = aPolicy({}, { guard: { maxItems, maxPart: 0.05, noticeMs: NOTICE_MS } });
        const bound = Math.ceil(longestWaitMs(NOTICE_MS) / intervalMs) + 1;
        let sessions = sessionsOf(old, 3);
        let now = NOW + offDays * DAY_MS;
        let memory: GuardMemory = first ? {} : { policy, lastAt: NOW };
        const backlog = sessions.slice(0, Math.max(0, old - 1)).map(({ id }) => id);
        for (let pass = 0; pass < bound; pass += 1) {
          const result = guarded(anInventory({ sessions, scannedAt: now }), { policy, memory, intervalMs });
          const left = new Set(result.gone);
          sessions = sessions.filter(({ id }) => !left.has(id));
          ({ memory } = result);
          expect(memory.notices?.length ?? 0).toBeLessThanOrEqual(6);
          now += intervalMs;
        }
        const stays = new Set(sessions.map(({ id }) => id));
        expect(backlog.filter((id) => stays.has(id))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
