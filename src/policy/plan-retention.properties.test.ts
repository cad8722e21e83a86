import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import {
  anyAsked,
  anyAskedCalmly,
  expectSubset,
  going,
  isGoing,
  isLeaving,
  keyOf,
  planOf,
  rulesOf,
  sessionFates,
  withSessions,
} from '../../test/support/planned-scenes.ts';
import {
  afterPlan,
  always,
  anyRequest,
  anyScene,
  anyTightScene,
  conversationOf,
  IDS,
  type Scene,
} from '../../test/support/scenes.ts';
import { itemBytes, type SessionItem } from '../core/retention/inventory.ts';
import type { Decision } from '../core/retention/plan.ts';
import { USES, useOf } from '../core/sessions/in-use.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';

describe('every plan', () => {
  it('has exactly one decision for each item, whatever is asked', () => {
    always(anyAsked, ({ scene, request, doubts }) => {
      const inventory = { ...scene.inventory, doubts };
      const { sessions, strays, trash, archives } = inventory;
      const items = [...sessions, ...strays, ...trash, ...archives].map(({ kind, id }) => `${kind} ${id}`);
      const decided = planOf({ ...scene, inventory }, request).decisions.map(keyOf);
      expect(decided.toSorted()).toEqual(items.toSorted());
    });
  });

  it('does not depend on the order in which the scan found things', () => {
    always(anyAsked, ({ scene, request, doubts }) => {
      const { sessions, strays, trash, archives } = scene.inventory;
      const mixed = {
        sessions: sessions.toReversed(),
        strays: strays.toReversed(),
        trash: trash.toReversed(),
        archives: [...archives.slice(1), ...archives.slice(0, 1)],
      };
      const plan = planOf({ ...scene, inventory: { ...scene.inventory, doubts } }, request);
      expect(planOf({ ...scene, inventory: { ...scene.inventory, ...mixed, doubts } }, request)).toEqual(plan);
    });
  });

  it('is the same each time, changes nothing it was given, and survives being saved', () => {
    always(anyAsked, ({ scene, request }) => {
      const before = structuredClone(scene);
      const plan = planOf(scene, request);
      expect(scene).toEqual(before);
      expect(planOf(scene, request)).toEqual(plan);
      expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
    });
  });

  it('carries the fingerprint of everything that goes', () => {
    always(anyAsked, ({ scene, request }) => {
      for (const decision of planOf(scene, request).decisions) {
        if (decision.action !== 'keep') expect(withoutTime(decision).fingerprint).toBe(`f-${decision.item.id}`);
      }
    });
  });

  it('never speaks of more bytes than an item has', () => {
    always(anyAsked, ({ scene, request }) => {
      for (const [session, decision] of sessionFates(planOf(scene, request), scene.inventory)) {
        expect(decision.sizeBytes).toBeLessThanOrEqual(itemBytes(session));
        if (decision.action.startsWith('drop')) expect(decision.sizeBytes).toBeGreaterThan(0);
      }
    });
  });

  it('leaves nothing more to do once it is carried out', () => {
    always(fc.oneof(anyScene, anyTightScene), (scene) => {
      const after = afterPlan(scene.inventory, planOf(scene));
      expect(going(planOf({ ...scene, inventory: after }))).toEqual(new Set());
    });
  });

  it('leaves nothing more to do once a request by hand is carried out', () => {
    always(anyAskedCalmly, ({ scene, request }) => {
      if (request.kind === 'policy') return;
      const after = afterPlan(scene.inventory, planOf(scene, request));
      const again = planOf({ ...scene, inventory: after }, request).decisions.filter(
        ({ item }) => item.kind === 'session',
      );
      expect(again.filter(isGoing)).toEqual([]);
    });
  });

  it('counts milliseconds and nothing else, so days of 23 and 25 hours and leap days are no matter', () => {
    const shifts = fc.constantFrom(...[61, 365, 366, 1000].map((days) => days * DAY_MS + 3 * HOUR_MS));
    always(fc.tuple(anyTightScene, shifts), ([scene, shift]) => {
      const { sessions, strays, trash, archives } = scene.inventory;
      const inventory = {
        ...scene.inventory,
        sessions: sessions.map(({ endedAt, ...session }) => ({
          ...session,
          lastActiveAt: session.lastActiveAt + shift,
          ...(endedAt !== undefined && { endedAt: endedAt + shift }),
        })),
        strays: strays.map((item) => ({ ...item, lastActiveAt: item.lastActiveAt + shift })),
        trash: trash.map((item) => ({
          ...item,
          removedAt: item.removedAt + shift,
          expiresAt: item.expiresAt + shift,
        })),
        archives: archives.map((item) => ({
          ...item,
          archivedAt: item.archivedAt + shift,
          lastActiveAt: item.lastActiveAt + shift,
        })),
      };
      const shifted = planOf({ ...scene, inventory }, { kind: 'policy' }, NOW + shift);
      expect(shifted.decisions.map(withoutTime)).toEqual(planOf(scene).decisions.map(withoutTime));
    });
  });
});

describe('holds', () => {
  const never = (holds: (session: SessionItem, scene: Scene) => boolean) => () =>
    always(anyAsked, ({ scene, request, doubts }) => {
      const inventory = { ...scene.inventory, doubts };
      for (const [session, decision] of sessionFates(planOf({ ...scene, inventory }, request), inventory)) {
        if (holds(session, scene)) expect(decision.action).toBe('keep');
      }
    });

  it(
    'keep what is in use, whatever is asked: held by a process, answering a route, or open',
    never(({ active, routed, endedAt }) => active || routed === true || endedAt === undefined),
  );
  it(
    'keep what is pinned, whatever is asked',
    never(({ pinned }) => pinned),
  );
  it(
    'keep what is dated in the future, whatever is asked',
    never(({ lastActiveAt }) => lastActiveAt > NOW),
  );
  it(
    'keep what could not be read, whatever is asked',
    never(({ unreadable }) => unreadable === true),
  );
  it(
    'keep what carries a tag to keep, whatever is asked',
    never(({ tags, source }, { policy }) => tags.some((tag) => rulesOf(policy, source).keepTags.includes(tag))),
  );

  it('keep what is too young, unless a person names an id or an age', () => {
    always(anyAskedCalmly, ({ scene, request }) => {
      if (request.kind === 'delete' || 'before' in request || 'emptyMs' in request || 'trivialMs' in request) return;
      for (const [session, decision] of sessionFates(planOf(scene, request), scene.inventory)) {
        const young = NOW - session.lastActiveAt < rulesOf(scene.policy, session.source).minAgeMs;
        if (young) expect(decision.action).toBe('keep');
      }
    });
  });

  it('keep every pinned or future archive, and what was archived or left behind lately', () => {
    always(anyAskedCalmly, ({ scene, request }) => {
      const plan = planOf(scene, request);
      const gone = going(plan);
      const { minAgeMs } = scene.policy.sessions;
      for (const { id, pinned, archivedAt } of scene.inventory.archives) {
        if (pinned || archivedAt > NOW) expect(gone).not.toContain(`archive ${id}`);
      }
      for (const { kind, id, lastActiveAt } of scene.inventory.strays) {
        const leastMs = 'before' in request ? NOW - (request.before ?? NOW) : minAgeMs;
        if (NOW - lastActiveAt < leastMs) expect(gone).not.toContain(`${kind} ${id}`);
      }
    });
  });

  it('let nothing go while it is not known what is in use', () => {
    always(anyAskedCalmly, ({ scene, request }) => {
      const inventory = { ...scene.inventory, doubts: ['activity-unknown' as const] };
      const plan = planOf({ ...scene, inventory }, request);
      expect(going(plan)).toEqual(new Set());
      const wanted = planOf(
        { ...scene, policy: { ...scene.policy, disk: { forGood: true, lowWater: 1, bySource: {} } } },
        request,
      );
      for (const [at, { action }] of wanted.decisions.entries()) {
        if (action !== 'keep') expect(plan.decisions[at]?.reason).toBe('doubt');
      }
    });
  });

  it('let nothing go for its age while the clock is in doubt, and nothing that would stay otherwise', () => {
    always(fc.record({ scene: anyScene, request: anyRequest }), ({ scene, request }) => {
      const inventory = { ...scene.inventory, doubts: ['clock-suspect' as const] };
      const plan = planOf({ ...scene, inventory }, request);
      for (const decision of plan.decisions) if (isGoing(decision)) expect(decision.reason).toBe('named');
      expectSubset(going(plan), going(planOf(scene, request)));
    });
  });

  it('still free space while the clock is in doubt', () => {
    always(anyTightScene, (scene) => {
      const inventory = { ...scene.inventory, doubts: ['clock-suspect' as const] };
      const plan = planOf({ ...scene, inventory });
      for (const decision of plan.decisions) if (isGoing(decision)) expect(decision.reason).toBe('pressure');
    });
  });
});

describe('conversations', () => {
  it('stay or go as one, whatever is asked', () => {
    always(anyAsked, ({ scene, request, doubts }) => {
      const inventory = { ...scene.inventory, doubts };
      const fates = sessionFates(planOf({ ...scene, inventory }, request), inventory);
      for (const [{ id }, decision] of fates) {
        const others = conversationOf(inventory.sessions, id);
        const actions = fates.filter(([other]) => others.has(other.id)).map(([, fate]) => fate);
        if (isLeaving(decision))
          expect(new Set(actions.map(({ action }) => action))).toEqual(new Set([decision.action]));
      }
    });
  });

  it('are held by any member that is in use or pinned, and say so', () => {
    always(anyScene, (scene) => {
      const { sessions } = scene.inventory;
      const byId = new Map(sessions.map((session) => [session.id, session]));
      for (const [session, { reason }] of sessionFates(planOf(scene), scene.inventory)) {
        const { pinned } = session;
        const members = [...conversationOf(sessions, session.id)].map((member) => byId.get(member));
        const uses = members.flatMap((member) => (member && useOf(member)) ?? []);
        if (uses.length > 0)
          expect(reason).toBe(
            USES.find((use) => uses.includes(use)) === useOf(session) ? useOf(session) : 'lineage-active',
          );
        else if (members.some((member) => member?.pinned)) expect(reason).toBe(pinned ? 'pinned' : 'lineage-pinned');
      }
    });
  });

  it('do not reach to branches, subagents and resets: with no parent these meet the same fate', () => {
    always(fc.record({ scene: anyScene, request: anyRequest }), ({ scene, request }) => {
      const alone = withSessions(scene, (sessions) =>
        sessions.map((session) => {
          const { parentId: _p, childKind: _c, ...rest } = session;
          return session.childKind === 'continuation' ? session : rest;
        }),
      );
      expect(planOf(alone, request)).toEqual(planOf(scene, request));
    });
  });

  it('do not mind parents that are missing, their own child, or in a circle', () => {
    always(fc.tuple(anyScene, fc.array(fc.nat(11), { minLength: 12, maxLength: 12 })), ([scene, parents]) => {
      const linked = withSessions(scene, (sessions) =>
        sessions.map((session, at) => ({
          ...session,
          childKind: 'continuation' as const,
          parentId: IDS[parents[at] ?? 0] ?? '',
        })),
      );
      expect(planOf(linked).decisions.filter(({ item }) => item.kind === 'session')).toHaveLength(
        scene.inventory.sessions.length,
      );
    });
  });
});

/** Parts of a conversation also carry when any of them was last used. */
function withoutTime<T extends Decision>(decision: T): T {
  return decision.action === 'keep'
    ? decision
    : { ...decision, fingerprint: decision.fingerprint.replace(/@\d+$/, '') };
}
