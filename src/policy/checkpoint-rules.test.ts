import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { anInventory, aPolicy, aTrash } from '../../test/support/inventories.ts';
import type { CheckpointItem, TrashItem } from '../core/inventory.ts';
import type { Decision, Plan, PlanRequest } from '../core/plan.ts';
import type { CheckpointRules } from '../core/policy.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/time.ts';
import { explainItem } from './explain-item.ts';
import { planRetention } from './plan-retention.ts';

const MB = 1024 * 1024;
const PRUNE = { kind: 'checkpoints', keepOrphans: false } as const;
const UNATTENDED = { kind: 'checkpoints', keepOrphans: true } as const;

function aCheckpoint(id: string, given: Partial<CheckpointItem> = {}): CheckpointItem {
  return {
    kind: 'checkpoint',
    id,
    projectId: 'p',
    workdir: '/projects/p',
    takenAt: NOW - 2 * DAY_MS,
    pinned: false,
    needed: false,
    active: false,
    place: 'present',
    sizeBytes: MB,
    fingerprint: 'p',
    ...given,
  };
}

interface Scene {
  readonly checkpoints: readonly CheckpointItem[];
  readonly rules?: CheckpointRules;
  readonly request?: PlanRequest;
  readonly trash?: readonly TrashItem[];
  readonly extraBytes?: number;
}

const sum = (items: readonly { readonly sizeBytes: number }[]) =>
  items.reduce((total, { sizeBytes }) => total + sizeBytes, 0);

function inventoryOf({ checkpoints, trash = [], extraBytes = 0 }: Scene) {
  return anInventory({ checkpoints, trash, checkpointBytes: sum(checkpoints) + sum(trash) + extraBytes });
}

function planOf(scene: Scene): Plan {
  const { rules = {}, request = UNATTENDED } = scene;
  return planRetention(inventoryOf(scene), { policy: aPolicy({}, { checkpoints: rules }), now: NOW, request });
}

const goes = ({ action }: Decision) => action !== 'keep';
const goingIds = (plan: Plan) => plan.decisions.filter(goes).map(({ item }) => item.id);
const reasonOf = (plan: Plan, id: string) => plan.decisions.find(({ item }) => item.id === id)?.reason;

describe('checkpoints', () => {
  it('past their retention go, except for the newest of each project', () => {
    const old = NOW - 40 * DAY_MS;
    const checkpoints = [
      aCheckpoint('a', { takenAt: old }),
      aCheckpoint('b', { takenAt: old + 1 }),
      aCheckpoint('c', { takenAt: old, projectId: 'q' }),
    ];
    const plan = planOf({ checkpoints, rules: { retentionMs: 30 * DAY_MS } });
    expect(goingIds(plan)).toEqual(['a']);
    expect([reasonOf(plan, 'a'), reasonOf(plan, 'b'), reasonOf(plan, 'c')]).toEqual([
      'retention',
      'keep-last',
      'keep-last',
    ]);
  });

  it('of a folder that went a moment ago are said to be too young, so that nobody wonders why prune leaves them', () => {
    const checkpoints = [aCheckpoint('a', { place: 'gone', takenAt: NOW - 1 })];
    expect(reasonOf(planOf({ checkpoints, request: PRUNE }), 'a')).toBe('young');
    expect(reasonOf(planOf({ checkpoints }), 'a')).toBe('keep-last');
  });

  it('of a folder that is gone go only when a person asks, the newest included', () => {
    const checkpoints = [aCheckpoint('a', { place: 'gone' }), aCheckpoint('b', { place: 'gone', takenAt: NOW - 1 })];
    expect(goingIds(planOf({ checkpoints, request: PRUNE }))).toEqual(['a']);
    expect(goingIds(planOf({ checkpoints, request: UNATTENDED }))).toEqual([]);
    expect(goingIds(planOf({ checkpoints, request: { kind: 'policy' } }))).toEqual([]);
    const older = checkpoints.map((one) => ({ ...one, takenAt: one.takenAt - HOUR_MS }));
    expect(goingIds(planOf({ checkpoints: older, request: PRUNE }))).toEqual(['a', 'b']);
  });

  it('all go when a person clears them, except for what is held or at work', () => {
    const checkpoints = [
      aCheckpoint('free'),
      aCheckpoint('pinned', { pinned: true }),
      aCheckpoint('needed', { needed: true }),
      aCheckpoint('active', { active: true }),
      aCheckpoint('away', { place: 'unreachable' }),
    ];
    expect(goingIds(planOf({ checkpoints, request: { kind: 'clear-checkpoints' } }))).toEqual(['free']);
  });

  it('are no concern of requests about sessions', () => {
    const plan = planOf({ checkpoints: [aCheckpoint('a')], request: { kind: 'delete', ids: ['a'] } });
    expect(reasonOf(plan, 'a')).toBe('not-selected');
  });

  it('that an agent takes one after the other do not push out the first of its session or of an hour', () => {
    const start = NOW - 5 * HOUR_MS;
    const before = aCheckpoint('before', { takenAt: start - 10 * HOUR_MS });
    const first = aCheckpoint('first', { takenAt: start + 30 * MINUTE_MS, sessionId: 's' });
    const spam = Array.from({ length: 200 }, (_, index) =>
      aCheckpoint(`x${index}`, { takenAt: start + HOUR_MS + index * 1000, sessionId: 's' }),
    );
    const plan = planOf({ checkpoints: [before, first, ...spam], rules: { maxSnapshots: 20 } });
    const gone = new Set(goingIds(plan));
    expect(gone.size).toBe(182);
    expect(['before', 'first', 'x0', 'x199'].filter((id) => gone.has(id))).toEqual([]);
  });

  it('of which only the oldest can go lose those, whatever hour they are of, and never one from the middle', () => {
    const checkpoints = Array.from({ length: 12 }, (_, index) =>
      aCheckpoint(`c${index}`, { takenAt: NOW - index * HOUR_MS, chained: true }),
    );
    expect(goingIds(planOf({ checkpoints, rules: { maxSnapshots: 5 } })).toSorted()).toEqual([
      'c10',
      'c11',
      'c5',
      'c6',
      'c7',
      'c8',
      'c9',
    ]);
  });

  it('with the same id in two projects are judged each in its own', () => {
    const first = ['a', 'b', 'c'].map((id, index) =>
      aCheckpoint(id, { takenAt: NOW - (index + 3) * DAY_MS, chained: true }),
    );
    const second = [...first, aCheckpoint('d', { takenAt: NOW - DAY_MS, chained: true })].map((one) => ({
      ...one,
      projectId: 'q',
    }));
    const plan = planOf({ checkpoints: [...first, ...second], rules: { maxSnapshots: 2 } });
    const gone = plan.decisions.filter(goes);
    expect(gone.map(({ item }) => item.id).toSorted()).toEqual(['b', 'c', 'c']);
  });

  it('under a cap lose trash that holds nothing else first, and no more than it takes', () => {
    const trash = [
      aTrash('ours', { removedAt: NOW, onlyCheckpoints: true, sizeBytes: 2 * MB }),
      aTrash('mixed', { removedAt: NOW, sizeBytes: MB }),
    ];
    const checkpoints = Array.from({ length: 10 }, (_, index) => aCheckpoint(`c${index}`, { takenAt: NOW - index }));
    const little = planOf({ checkpoints, trash, rules: { maxBytes: 12 * MB } });
    expect(goingIds(little)).toEqual(['ours']);
    const more = planOf({ checkpoints, trash, rules: { maxBytes: 8 * MB } });
    expect(goingIds(more)).toEqual(['ours', 'c9', 'c8', 'c7', 'c6']);
    expect(
      more.decisions.filter(goes).every((decision) => 'skipsTrash' in decision || decision.action === 'purge'),
    ).toBe(true);
  });

  it('say what stands in the way of a cap', () => {
    const checkpoints = [aCheckpoint('a', { pinned: true, sizeBytes: 3 * MB }), aCheckpoint('b', { takenAt: NOW })];
    const { shortfalls } = planOf({ checkpoints, rules: { maxBytes: MB } });
    expect(shortfalls).toEqual([
      { of: 'checkpoints', bytes: 4 * MB - Math.floor(MB * 0.95), heldBytes: { pinned: 3 * MB, 'keep-last': MB } },
    ]);
  });

  it('under doubt about the clock go for size alone', () => {
    const checkpoints = Array.from({ length: 5 }, (_, index) => aCheckpoint(`c${index}`, { takenAt: NOW - index }));
    const inventory = { ...inventoryOf({ checkpoints }), doubts: ['clock-suspect'] as const };
    const plan = (rules: CheckpointRules) =>
      planRetention(inventory, { policy: aPolicy({}, { checkpoints: rules }), now: NOW, request: UNATTENDED });
    expect(goingIds(plan({ maxSnapshots: 2, retentionMs: 1 }))).toEqual([]);
    expect(goingIds(plan({ maxBytes: 4.5 * MB }))).toEqual(['c4']);
  });

  it('are explained rule by rule', () => {
    const checkpoints = [aCheckpoint('a', { takenAt: NOW - 40 * DAY_MS }), aCheckpoint('b')];
    const options = { policy: aPolicy({}, { checkpoints: { retentionMs: 30 * DAY_MS } }), now: NOW };
    const explained = explainItem(inventoryOf({ checkpoints }), { kind: 'checkpoint', id: 'a' }, options);
    expect(explained?.decision.reason).toBe('retention');
    expect(explained?.checks.filter(({ met }) => met).map(({ rule }) => rule)).toEqual(['retention', 'not-expired']);
  });
});

const anyCheckpoint = fc.record({
  projectId: fc.constantFrom('p', 'q', 'r'),
  takenAt: fc.oneof(
    fc.integer({ min: NOW - 60 * DAY_MS, max: NOW }),
    fc.integer({ min: NOW - 3 * HOUR_MS, max: NOW + HOUR_MS }),
  ),
  sessionId: fc.constantFrom('s', 't'),
  pinned: fc.nat(9).map((n) => n === 0),
  needed: fc.nat(9).map((n) => n === 0),
  active: fc.boolean(),
  sizeBytes: fc.nat(MB),
});

const anyScene = fc
  .record({
    given: fc.array(anyCheckpoint, { maxLength: 40 }),
    places: fc.record({
      p: fc.constantFrom<CheckpointItem['place']>('present', 'gone', 'unreachable'),
      q: fc.constantFrom<CheckpointItem['place']>('present', 'gone', 'unreachable'),
      r: fc.constant<CheckpointItem['place']>('present'),
    }),
    rules: fc.record(
      {
        retentionMs: fc.integer({ min: 0, max: 30 * DAY_MS }),
        maxSnapshots: fc.integer({ min: 0, max: 12 }),
        maxBytes: fc.integer({ min: 0, max: 20 * MB }),
      },
      { requiredKeys: [] },
    ),
    request: fc.constantFrom<PlanRequest>(PRUNE, UNATTENDED, { kind: 'policy' }, { kind: 'clear-checkpoints' }),
    extraBytes: fc.nat(MB),
  })
  .map(({ given, places, ...rest }) => ({
    ...rest,
    checkpoints: given.map((one, index) => aCheckpoint(`c${index}`, { ...one, place: places[one.projectId as 'p'] })),
  }));

function always(property: (scene: Scene & { readonly rules: CheckpointRules }) => void): void {
  fc.assert(fc.property(anyScene, property), { numRuns: 500 });
}

describe('a plan for checkpoints, whatever they are and whatever is asked', () => {
  it('never lets go of what is pinned, needed, unreachable or in the future', () => {
    always((scene) => {
      const gone = new Set(goingIds(planOf(scene)));
      const held = scene.checkpoints.filter(
        ({ pinned, needed, place, takenAt }) => pinned || needed || place === 'unreachable' || takenAt > NOW,
      );
      expect(held.filter(({ id }) => gone.has(id))).toEqual([]);
    });
  });

  it('leaves the newest of every project, unless its folder is gone or all are cleared by a person', () => {
    always((scene) => {
      const gone = new Set(goingIds(planOf(scene)));
      if (scene.request?.kind === 'clear-checkpoints') return;
      for (const projectId of ['p', 'q', 'r']) {
        const ours = scene.checkpoints.filter((one) => one.projectId === projectId && one.takenAt <= NOW);
        const newest = ours.toSorted((a, b) => b.takenAt - a.takenAt || (a.id < b.id ? -1 : 1))[0];
        if (newest === undefined || (newest.place === 'gone' && scene.request === PRUNE)) continue;
        expect(gone.has(newest.id)).toBe(false);
      }
    });
  });

  it('does not depend on the order in which the scan found them', () => {
    always((scene) => {
      const mixed = { ...scene, checkpoints: scene.checkpoints.toReversed() };
      expect(planOf(mixed)).toEqual(planOf(scene));
    });
  });

  it('is empty once it was carried out', () => {
    always((scene) => {
      const gone = new Set(goingIds(planOf(scene)));
      const checkpoints = scene.checkpoints.filter(({ id }) => !gone.has(id));
      expect(goingIds(planOf({ ...scene, checkpoints }))).toEqual([]);
    });
  });

  it('takes no more for a cap than brings it under, and stops within one checkpoint of its low-water mark', () => {
    always(({ rules: { maxBytes = 0 }, ...scene }) => {
      const plan = planOf({ ...scene, rules: { maxBytes }, request: UNATTENDED });
      const going = plan.decisions.filter(goes);
      const used = sum(scene.checkpoints) + (scene.extraBytes ?? 0);
      const over = maxBytes > 0 && used > maxBytes;
      const left = used - sum(going);
      const last = going.at(-1)?.sizeBytes ?? 0;
      const mark = Math.floor(maxBytes * 0.95);
      if (!over) expect(going).toEqual([]);
      if (going.length > 0) expect(left + last).toBeGreaterThan(mark);
      expect(plan.shortfalls.length > 0).toBe(over && left > mark);
    });
  });

  it('keeps max_snapshots of what is free in each project, and all when there are no more', () => {
    always(({ rules: { maxSnapshots = 0 }, ...scene }) => {
      const gone = new Set(goingIds(planOf({ ...scene, rules: { maxSnapshots }, request: UNATTENDED })));
      for (const projectId of ['p', 'q', 'r']) {
        const free = scene.checkpoints.filter(
          (one) =>
            one.projectId === projectId &&
            one.takenAt <= NOW &&
            !one.pinned &&
            !one.needed &&
            one.place !== 'unreachable',
        );
        const stay = free.filter(({ id }) => !gone.has(id)).length;
        expect(stay).toBe(maxSnapshots === 0 ? free.length : Math.min(free.length, maxSnapshots));
      }
    });
  });
});
