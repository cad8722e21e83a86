import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { anInventory, aPolicy, aSession, aStray, aTrash } from '../../test/support/inventories.ts';
import { planOf } from '../../test/support/planned-scenes.ts';
import { always, anyScene } from '../../test/support/scenes.ts';
import type { CheckpointItem, Inventory } from '../core/retention/inventory.ts';
import { isRemoval, type PlanRequest } from '../core/retention/plan.ts';
import type { Policy } from '../core/retention/policy.ts';
import { DAY_MS } from '../core/time.ts';
import { planCleanUps, rankCleanUps } from './rank-clean-ups.ts';

const rankOf = (inventory: Inventory, policy: Policy) => rankCleanUps(planCleanUps(inventory, { policy, now: NOW }));

const REQUESTS: Readonly<Record<string, PlanRequest>> = {
  'sessions prune': { kind: 'prune', filter: {}, part: 'all' },
  'sessions prune --files-only': { kind: 'prune', filter: {}, part: 'files' },
  'sessions gc': { kind: 'gc', filter: {} },
};

describe('rankCleanUps', () => {
  it('says of each command exactly what a plan for it would take', () => {
    always(anyScene, (scene) => {
      const found = new Map(rankOf(scene.inventory, scene.policy).map((one) => [one.command as string, one]));
      for (const [command, request] of Object.entries(REQUESTS)) {
        const going = planOf(scene, request).decisions.filter(isRemoval);
        const sizeBytes = going.reduce((sum, decision) => sum + decision.sizeBytes, 0);
        expect(found.get(command)).toEqual(sizeBytes === 0 ? undefined : { command, items: going.length, sizeBytes });
      }
      const archived = planOf(scene, { kind: 'archive', filter: {} }).decisions.filter(isRemoval);
      const most = archived.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      expect(found.get('sessions archive')?.sizeBytes ?? 0).toBeLessThanOrEqual(most);
      expect(found.get('sessions archive')?.items ?? archived.length).toBe(archived.length);
    });
  });

  it('takes together what the rules take for being slight or past their retention, and each once', () => {
    always(anyScene, ({ inventory, policy }) => {
      const calm = { ...policy, sessions: { ...policy.sessions, archiveAfterMs: undefined }, bySource: {} };
      const removals = planCleanUps(inventory, { policy: calm, now: NOW });
      const going = [...(removals.get('sessions gc') ?? []), ...(removals.get('sessions prune') ?? [])];
      const byPolicy = planOf({ inventory, policy: calm }).decisions.filter(({ reason }) =>
        ['empty', 'trivial', 'retention'].includes(reason),
      );
      expect(new Set(going.map(({ item }) => item.id))).toEqual(new Set(byPolicy.map(({ item }) => item.id)));
    });
  });

  it('puts what would free most first, and nothing that would free nothing', () => {
    always(anyScene, ({ inventory, policy }) => {
      const sizes = rankOf(inventory, policy).map(({ sizeBytes }) => sizeBytes);
      expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
      expect(sizes).not.toContain(0);
    });
  });

  it('lets nothing go that is in doubt', () => {
    always(anyScene, ({ inventory, policy }) => {
      const unsure = { ...inventory, doubts: ['activity-unknown' as const] };
      expect(rankOf(unsure, policy)).toEqual([]);
    });
  });

  it('knows expired trash, checkpoints and files without a session', () => {
    const checkpoint = (id: string, at: number): CheckpointItem => ({
      kind: 'checkpoint',
      id,
      projectId: 'p',
      workdir: '/p',
      takenAt: NOW - at * DAY_MS,
      pinned: false,
      needed: false,
      active: false,
      place: 'present',
      sizeBytes: 5000,
      fingerprint: id,
    });
    const inventory = anInventory({
      sessions: [
        aSession('old', { bytes: { rows: 40, transcript: 0, dumps: 0, other: 0 } }),
        aSession('newest', { lastActiveAt: NOW - 2 * DAY_MS }),
      ],
      strays: [aStray('orphan', 'sessions/x', { sizeBytes: 300 }), aStray('debris', 'sessions/y', { sizeBytes: 9999 })],
      trash: [aTrash('expired', { sizeBytes: 200 }), aTrash('waiting', { removedAt: NOW - DAY_MS, sizeBytes: 9999 })],
      checkpoints: [checkpoint('a', 40), checkpoint('b', 1)],
      checkpointBytes: 10_000,
    });
    const policy = aPolicy({}, { checkpoints: { retentionMs: 30 * DAY_MS } });
    expect(rankOf(inventory, policy)).toEqual([
      { command: 'checkpoints prune', items: 1, sizeBytes: 5000 },
      { command: 'sessions prune --files-only', items: 1, sizeBytes: 300 },
      { command: 'trash empty --expired', items: 1, sizeBytes: 200 },
      { command: 'sessions prune', items: 1, sizeBytes: 40 },
    ]);
  });
});
