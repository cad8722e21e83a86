import { describe, expect, it } from 'vitest';
import { aPolicy } from '../../test/support/inventories.ts';
import type { Inventory } from '../core/retention/inventory.ts';
import type { Decision, PlanRequest } from '../core/retention/plan.ts';
import { USES } from '../core/sessions/in-use.ts';
import { DAY_MS } from '../core/time.ts';
import { planRetention } from '../policy/plan-retention.ts';
import { itemsFor, type MakeHome, RUN } from './tested-home.conformance.ts';

/** One meaning of "in use": whatever a home knows it by, the same sessions stay, and for the same reasons. */
export function testHomeUses(name: string, makeHome: MakeHome): void {
  describe.each(USES)(`${name}: a session in use (%s)`, (use) => {
    it.each(Object.keys(REQUESTS))('stays under %s, which would take it otherwise', async (asked) => {
      await using home = await makeHome();
      const free = await home.driver.scan();
      const id = aloneIn(free, home.removable);
      expect(fateOf(free, id, asked).action).not.toBe('keep');
      await home.use(id, use);
      expect(fateOf(await home.driver.scan(), id, asked)).toMatchObject({ action: 'keep', reason: use });
    });

    it('keeps the rest of its conversation', async () => {
      await using home = await makeHome();
      const { sessions } = await home.driver.scan();
      const last = sessions.find(({ id, childKind }) => home.removable.includes(id) && childKind === 'continuation');
      const first = last?.parentId ?? '';
      await home.use(last?.id ?? '', use);
      expect(fateOf(await home.driver.scan(), first, 'policy')).toMatchObject({ reason: 'lineage-active' });
      // Not even a plan that knows of the use is carried out.
      const outcomes = await home.driver.discard(RUN, await itemsFor(home, [first], 'remove'));
      expect(outcomes).toMatchObject([{ status: 'skipped' }]);
    });

    it('is left alone by a removal that was planned before', async () => {
      for (const action of ['remove', 'drop-files', 'drop-dumps'] as const) {
        await using home = await makeHome();
        const id = aloneIn(await home.driver.scan(), home.removable);
        const items = await itemsFor(home, [id], action);
        await home.use(id, use);
        const before = await home.dump();
        const outcomes = await home.driver.discard(RUN, items);
        expect(outcomes).toMatchObject([{ status: 'skipped', detail: expect.stringMatching(/^[A-Z].*\.$/) }]);
        expect(await home.dump()).toEqual(before);
      }
    });
  });
}

/** A session that is a conversation by itself and has every sort of file. */
function aloneIn({ sessions }: Inventory, removable: readonly string[]): string {
  const continued = new Set(sessions.map(({ parentId, childKind }) => childKind === 'continuation' && parentId));
  const found = sessions.find(({ id, childKind, bytes: { transcript, dumps } }) => {
    return removable.includes(id) && childKind === undefined && !continued.has(id) && transcript > 0 && dumps > 0;
  });
  return found?.id ?? '';
}

/** Everything that lets go of sessions, so strict that nothing but a hold stands in its way. */
const REQUESTS: Readonly<Record<string, (inventory: Inventory, id: string) => PlanRequest>> = {
  policy: () => ({ kind: 'policy' }),
  prune: ({ scannedAt }) => ({ kind: 'prune', filter: {}, before: scannedAt, part: 'all' }),
  'prune --files-only': ({ scannedAt }) => ({ kind: 'prune', filter: {}, before: scannedAt, part: 'files' }),
  gc: () => ({ kind: 'gc', filter: {}, emptyMs: 1, trivialMs: 1, trivialMaxMessages: 1e9 }),
  archive: ({ scannedAt }) => ({ kind: 'archive', filter: {}, before: scannedAt }),
  'its own name': (_, id) => ({ kind: 'delete', ids: [id] }),
};

function fateOf(inventory: Inventory, id: string, asked: string): Decision {
  const request = REQUESTS[asked]?.(inventory, id) ?? { kind: 'policy' };
  const policy = aPolicy({ minAgeMs: 0, retentionMs: DAY_MS, keepTags: [], afterReset: 'remove' });
  const { decisions } = planRetention(inventory, { policy, now: inventory.scannedAt, request });
  const found = decisions.find(({ item }) => item.kind === 'session' && item.id === id);
  if (found === undefined) throw new Error(`no decision about ${id}`);
  return found;
}
