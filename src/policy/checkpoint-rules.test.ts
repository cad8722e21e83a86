import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { anInventory, aPolicy, aTrash } from '../../test/support/inventories.ts';
import type { CheckpointItem, TrashItem } from '../core/retention/inventory.ts';
import type { Decision, Plan, PlanRequest } from '../core/retention/plan.ts';
import type { CheckpointRules } from '../core/retention/policy.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/time.ts';
import { explainItem } from './explain-item.ts';
import { planRetention } from './plan-retention.ts';

const MB = 1024 * 1024;
const PRUNE = { kind: 'checkpoints', keepOrphans: false } as const;
const KEEP_ORPHANS = { kind: 'checkpoints', keepOrphans: true } as const;
const UNATTENDED = { kind: 'checkpoints', keepOrphans: false, unattended: true } as const;

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

  it('of a folder that nobody used for three times the retention go altogether, unless it cannot be reached', () => {
    const [stale, fresh] = [NOW - 90 * DAY_MS, NOW - 90 * DAY_MS + 1];
    const places = { present: stale, gone: stale, unreachable: stale, fresh } as const;
    const checkpoints = Object.entries(places).flatMap(([name, takenAt]) => {
      const place = name === 'fresh' ? ('present' as const) : (name as CheckpointItem['place']);
      const given = { projectId: name, place };
      return [aCheckpoint(`${name}-1`, { ...given, takenAt: takenAt - 1 }), aCheckpoint(name, { ...given, takenAt })];
    });
    const at = { projectId: 'at work', takenAt: stale, active: true };
    const plan = planOf({
      checkpoints: [...checkpoints, aCheckpoint('at work', at)],
      rules: { retentionMs: 30 * DAY_MS },
    });
    expect(goingIds(plan).toSorted()).toEqual(['fresh-1', 'gone', 'gone-1', 'present', 'present-1']);
    expect(['present', 'gone', 'unreachable', 'fresh', 'at work'].map((id) => reasonOf(plan, id))).toEqual([
      'stale',
      'stale',
      'unreachable',
      'keep-last',
      'active',
    ]);
    expect(plan.decisions.filter((decision) => 'skipsTrash' in decision)).toEqual([]);
  });

  it('of a folder that is gone go without a person only after a second look, a day after the first', () => {
    const seen = (seenGoneAt?: number) =>
      goingIds(planOf({ checkpoints: [aCheckpoint('a', { place: 'gone', ...(seenGoneAt && { seenGoneAt }) })] }));
    expect([seen(), seen(NOW - DAY_MS + 1), seen(NOW - DAY_MS)]).toEqual([[], [], ['a']]);
  });

  it('of folders that a person says are gone go, out of reach or not, and no others', () => {
    const at = (id: string, workdir: string, place: CheckpointItem['place'] = 'unreachable') =>
      aCheckpoint(id, { projectId: id, workdir, place });
    const checkpoints = [
      at('there', '/w/there', 'present'),
      at('a', '/w/a'),
      at('below', '/w/a/below'),
      at('beside', '/w/ab'),
      { ...at('pinned', '/w/a/pinned'), pinned: true },
      { ...at('at work', '/w/a/at-work'), active: true },
      at('seen', '/w/a/seen', 'gone'),
    ];
    const said = (given: object) =>
      planOf({ checkpoints, request: { kind: 'clear-checkpoints', ...given }, rules: { retentionMs: 1 } });
    expect(goingIds(said({ gone: '/w/a' })).toSorted()).toEqual(['a', 'below', 'seen']);
    expect(goingIds(said({ gone: '/w/there' }))).toEqual([]);
    expect(goingIds(said({ unreachable: true })).toSorted()).toEqual(['a', 'below', 'beside']);
    expect(reasonOf(said({ unreachable: true }), 'a')).toBe('said-gone');
  });

  it('of a folder that is gone go only when a person asks, the newest included', () => {
    const checkpoints = [aCheckpoint('a', { place: 'gone' }), aCheckpoint('b', { place: 'gone', takenAt: NOW - 1 })];
    expect(goingIds(planOf({ checkpoints, request: PRUNE }))).toEqual(['a']);
    expect(goingIds(planOf({ checkpoints, request: KEEP_ORPHANS }))).toEqual([]);
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

  it('under a cap go down to the last of each folder first, then those of the folders used least recently', () => {
    const checkpoints = [
      aCheckpoint('old', { projectId: 'old', takenAt: NOW - 9 * DAY_MS }),
      aCheckpoint('older', { projectId: 'older', takenAt: NOW - 10 * DAY_MS }),
      aCheckpoint('at work', { projectId: 'w', takenAt: NOW - 11 * DAY_MS, active: true }),
      aCheckpoint('away', { projectId: 'u', takenAt: NOW - 12 * DAY_MS, place: 'unreachable' }),
      aCheckpoint('just now', { projectId: 'n', takenAt: NOW - HOUR_MS + 1 }),
      aCheckpoint('first', { takenAt: NOW - 2 * DAY_MS }),
      aCheckpoint('second', { takenAt: NOW - DAY_MS }),
    ];
    const going = (megabytes: number) => goingIds(planOf({ checkpoints, rules: { maxBytes: megabytes * MB } }));
    expect(going(6.5)).toEqual(['first']);
    expect(going(5.5)).toEqual(['first', 'older']);
    expect(going(3.5)).toEqual(['first', 'older', 'old', 'second']);
    const plan = planOf({ checkpoints, rules: { maxBytes: MB } });
    expect(goingIds(plan)).toEqual(['first', 'older', 'old', 'second']);
    expect(plan.decisions.filter(goes).every((decision) => 'skipsTrash' in decision)).toBe(true);
    expect(plan.shortfalls).toMatchObject([{ heldBytes: { unreachable: MB } }]);
  });

  it('stay where what is spare is all that exceeds a cap', () => {
    const checkpoints = [aCheckpoint('a'), aCheckpoint('b', { takenAt: NOW - 1 })];
    const inventory = (garbageBytes: number, cacheBytes: number) => ({
      ...inventoryOf({ checkpoints, extraBytes: garbageBytes + cacheBytes }),
      checkpointSpare: { garbageBytes, cacheBytes },
    });
    const options = { policy: aPolicy({}, { checkpoints: { maxBytes: 2 * MB } }), now: NOW, request: UNATTENDED };
    expect(goingIds(planRetention(inventory(9 * MB, MB), options))).toEqual([]);
    expect(goingIds(planRetention(inventoryOf({ checkpoints, extraBytes: MB }), options))).toEqual(['a']);
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

const CLEAR = { kind: 'clear-checkpoints' } as const;

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
  seenGoneAt: fc.integer({ min: NOW - 3 * DAY_MS, max: NOW + DAY_MS }),
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
    request: fc.constantFrom<PlanRequest>(PRUNE, UNATTENDED, KEEP_ORPHANS, { kind: 'policy' }, CLEAR),
    extraBytes: fc.nat(MB),
  })
  .map(({ given, places, ...rest }) => ({
    ...rest,
    checkpoints: given.map((one, index) => aCheckpoint(`c${index}`, { ...one, place: places[one.projectId as 'p'] })),
  }));

function always(property: (scene: Scene & { readonly rules: CheckpointRules }) => void): void {
  fc.assert(fc.property(anyScene, property), { numRuns: 500 });
}

const LAST: ReadonlySet<string> = new Set(['keep-last', 'least-used', 'stale', 'gone']);

function isNewest({ checkpoints }: Scene, id: string): boolean {
  const one = checkpoints.find((checkpoint) => checkpoint.id === id);
  const ours = checkpoints.filter(({ projectId, takenAt }) => projectId === one?.projectId && takenAt <= NOW);
  return ours.toSorted((a, b) => b.takenAt - a.takenAt || (a.id < b.id ? -1 : 1))[0] === one;
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

  it('lets the newest of a project go only where nobody is at work, and for a reason that is true of it', () => {
    always((scene) => {
      const plan = planOf(scene);
      const { maxBytes = Infinity, retentionMs = Infinity } = scene.rules;
      for (const projectId of ['p', 'q', 'r']) {
        const ours = scene.checkpoints.filter((one) => one.projectId === projectId && one.takenAt <= NOW);
        const newest = ours.toSorted((a, b) => b.takenAt - a.takenAt || (a.id < b.id ? -1 : 1))[0];
        const decision = plan.decisions.find(({ item }) => item.id === newest?.id);
        if (newest === undefined || decision === undefined || !goes(decision)) continue;
        const { takenAt, place, seenGoneAt = Infinity } = newest;
        const idleMs = NOW - takenAt;
        const truth: Record<string, boolean> = {
          named: scene.request === CLEAR,
          gone:
            place === 'gone' &&
            (scene.request === PRUNE || (scene.request === UNATTENDED && NOW - seenGoneAt >= DAY_MS)),
          stale: idleMs >= 3 * retentionMs,
          'least-used': idleMs >= HOUR_MS && sum(scene.checkpoints) + (scene.extraBytes ?? 0) > maxBytes,
        };
        expect([newest.active, truth[decision.reason]]).toEqual([false, true]);
      }
    });
  });

  it('gives the last one of a folder up for space only when nothing else that may go is left', () => {
    always((scene) => {
      const plan = planOf({ ...scene, request: UNATTENDED });
      if (!plan.decisions.some(({ reason }) => reason === 'least-used')) return;
      const lasts = new Set(plan.decisions.filter(({ reason }) => LAST.has(reason)).map(({ item }) => item.id));
      const left = plan.decisions.filter((decision) => !goes(decision) && !lasts.has(decision.item.id));
      expect(left.filter(({ reason }) => reason === 'not-expired' || reason === 'active').length).toBe(
        left.filter(({ reason, item }) => reason === 'active' && isNewest(scene, item.id)).length,
      );
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
      const plan = planOf({ ...scene, rules: { maxBytes }, request: KEEP_ORPHANS });
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
      const gone = new Set(goingIds(planOf({ ...scene, rules: { maxSnapshots }, request: KEEP_ORPHANS })));
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
