import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { aSession } from '../../test/support/inventories.ts';
import {
  anyAskedCalmly,
  countsForFloor,
  expectSubset,
  going,
  groupsOf,
  isGoing,
  isLeaving,
  keyOf,
  planOf,
  rulesOf,
  sessionFates,
  withSessions,
} from '../../test/support/planned-scenes.ts';
import {
  always,
  anyDoubts,
  anyScene,
  anyTightScene,
  conversationOf,
  IDS,
  withoutCounts,
} from '../../test/support/scenes.ts';
import { type SessionItem } from '../core/retention/inventory.ts';
import type { Policy, SessionRules } from '../core/retention/policy.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';

describe('floors', () => {
  it('keep the newest of each group on the list, for everything but a request for one by name', () => {
    always(anyAskedCalmly, ({ scene: { inventory, policy }, request }) => {
      if (request.kind === 'delete' || request.kind === 'gc') return;
      const { sessions } = inventory;
      const fates = sessionFates(planOf({ inventory, policy }, request), inventory);
      const leaving = new Set(fates.flatMap(([{ id }, decision]) => (isLeaving(decision) ? [id] : [])));
      for (const group of groupsOf(sessions).values()) {
        const counted = group.filter(({ id }) => {
          const conversation = conversationOf(sessions, id);
          return countsForFloor(
            sessions.filter((session) => conversation.has(session.id)),
            policy,
          );
        });
        const newest = counted.toSorted((a, b) => b.lastActiveAt - a.lastActiveAt || (a.id < b.id ? 1 : -1));
        const { keepLast } = rulesOf(policy, group[0]?.source ?? '');
        for (const { id } of newest.slice(0, keepLast === 'never' ? 0 : keepLast)) expect(leaving).not.toContain(id);
      }
    });
  });

  it('do not protect empty sessions, nor count them: one more changes nothing for the others', () => {
    always(fc.tuple(anyScene, fc.nat(200)), ([{ inventory, policy }, days]) => {
      const scene = { inventory, policy: withoutCounts(policy) };
      const lastActiveAt = NOW - days * DAY_MS;
      const more = withSessions(scene, (sessions) => [
        ...sessions,
        aSession('more', { messageCount: 0, lastActiveAt }),
      ]);
      const others = planOf(more).decisions.filter(({ item }) => item.id !== 'more');
      expect(others).toEqual(planOf(scene).decisions);
    });
  });

  it('do not count what is in use, unreadable or dated in the future', () => {
    const extras = fc.constantFrom<Partial<SessionItem>>(
      { active: true },
      { routed: true },
      { unreadable: true },
      { lastActiveAt: NOW + 1 },
    );
    always(fc.tuple(anyScene, extras), ([{ inventory, policy }, extra]) => {
      const scene = { inventory, policy: withoutCounts(policy) };
      const more = withSessions(scene, (sessions) => [...sessions, aSession('more', { lastActiveAt: NOW, ...extra })]);
      const others = planOf(more).decisions.filter(({ item }) => item.id !== 'more');
      expect(others).toEqual(planOf(scene).decisions);
    });
  });

  it('let a future session take no place under max_sessions either', () => {
    always(anyScene, (scene) => {
      const more = withSessions(scene, (sessions) => [...sessions, aSession('more', { lastActiveAt: NOW + 1 })]);
      const others = planOf(more).decisions.filter(({ item }) => item.id !== 'more');
      expect(others).toEqual(planOf(scene).decisions);
    });
  });

  it('and holds are all that stays beyond max_sessions, and nothing goes by it while there is room', () => {
    always(anyScene, ({ inventory, policy }) => {
      const calm = {
        ...policy,
        bySource: {},
        dumps: {},
        sessions: { ...policy.sessions, transcriptRetentionMs: undefined, afterReset: undefined },
      };
      const { maxSessions = Infinity } = calm.sessions;
      const scene = withSessions({ inventory, policy: calm }, (sessions) =>
        sessions.map(({ childKind: _, ...session }) => session),
      );
      const fates = sessionFates(planOf(scene), scene.inventory).filter(([{ lastActiveAt }]) => lastActiveAt <= NOW);
      for (const source of new Set(fates.map(([session]) => session.source))) {
        const ofSource = fates.filter(([session]) => session.source === source).toReversed();
        const stays = ofSource.filter(([, { action }]) => action === 'keep');
        for (const [, { reason }] of stays.slice(maxSessions)) expect(reason).not.toBe('not-expired');
        for (const [gone, { reason }] of ofSource) {
          const newer = stays.filter(([session]) => session.lastActiveAt >= gone.lastActiveAt);
          if (reason === 'max-sessions') expect(newer.length).toBeGreaterThanOrEqual(maxSessions);
        }
      }
    });
  });
});

describe('rules', () => {
  const days = (value: number | undefined) => (value === undefined ? undefined : Math.ceil(value / 2));
  const fewer = (keepLast: SessionRules['keepLast']) =>
    keepLast === 'never' || keepLast === 1 ? ('never' as const) : keepLast - 1;
  const stricter = (rules: Partial<SessionRules>): Partial<SessionRules> => ({
    ...rules,
    ...(rules.minAgeMs !== undefined && { minAgeMs: rules.minAgeMs / 2 }),
    ...(rules.abandonAfterMs !== undefined && { abandonAfterMs: rules.abandonAfterMs / 2 }),
    retentionMs: days(rules.retentionMs),
    transcriptRetentionMs: days(rules.transcriptRetentionMs) ?? 30 * DAY_MS,
    archiveAfterMs: days(rules.archiveAfterMs),
    emptyMs: days(rules.emptyMs) ?? 60 * DAY_MS,
    trivialMs: days(rules.trivialMs),
    ...(rules.keepLast !== undefined && { keepLast: fewer(rules.keepLast) }),
    ...(rules.keepTags !== undefined && { keepTags: rules.keepTags.slice(1) }),
  });

  it('never keep more when they are stricter', () => {
    always(anyScene, ({ inventory, policy }) => {
      const loose = withoutCounts(policy);
      const strict = {
        ...loose,
        sessions: { ...loose.sessions, ...stricter(loose.sessions) },
        bySource: Object.fromEntries(
          Object.entries(loose.bySource).map(([source, rules]) => [source, stricter({ ...loose.sessions, ...rules })]),
        ),
        dumps: { maxAgeMs: days(loose.dumps.maxAgeMs) ?? DAY_MS },
        archive: { retentionMs: days(loose.archive.retentionMs) ?? DAY_MS },
      };
      expectSubset(going(planOf({ inventory, policy: loose })), going(planOf({ inventory, policy: strict })));
    });
  });

  it('never keep more under a smaller max_sessions', () => {
    always(anyScene, ({ inventory, policy }) => {
      const capped = (maxSessions: number) => ({
        ...policy,
        bySource: {},
        sessions: { ...policy.sessions, maxSessions },
      });
      expectSubset(going(planOf({ inventory, policy: capped(3) })), going(planOf({ inventory, policy: capped(2) })));
    });
  });

  it('never keep more as time goes by', () => {
    always(fc.tuple(anyScene, fc.nat(100 * DAY_MS)), ([{ inventory, policy }, laterMs]) => {
      const scene = { inventory, policy: withoutCounts(policy) };
      expectSubset(going(planOf(scene)), going(planOf(scene, { kind: 'policy' }, NOW + laterMs)));
    });
  });

  it('never let anything go because something else is pinned or in use', () => {
    always(fc.tuple(anyScene, fc.nat(11), fc.boolean()), ([{ inventory, policy }, at, pin]) => {
      const scene = { inventory, policy: withoutCounts(policy) };
      const held = withSessions(scene, (sessions) =>
        sessions.map((session, place) =>
          place === at ? { ...session, ...(pin ? { pinned: true } : { active: true }) } : session,
        ),
      );
      expectSubset(going(planOf(held)), going(planOf(scene)));
    });
  });

  it('let nothing go when every one of them is absent, zero, negative or not a number', () => {
    const off = fc.constantFrom(undefined, 0, -1, Number.NaN, -Infinity);
    always(
      fc.tuple(anyTightScene, fc.array(off, { minLength: 12, maxLength: 12 })),
      ([{ inventory, policy }, values]) => {
        const [retentionMs, transcriptRetentionMs, archiveAfterMs, emptyMs, trivialMs, maxSessions] = values;
        const sessions = {
          ...policy.sessions,
          retentionMs,
          transcriptRetentionMs,
          archiveAfterMs,
          emptyMs,
          trivialMs,
          maxSessions,
          afterReset: undefined,
        };
        const silent: Policy = {
          ...policy,
          sessions,
          bySource: {},
          dumps: { maxAgeMs: values[6] },
          archive: { retentionMs: values[7] },
          disk: {
            maxBytes: values[8],
            minFreeBytes: values[9],
            forGood: true,
            lowWater: 0.5,
            bySource: { cli: { maxBytes: values[10] ?? 0 } },
          },
        };
        const plan = planOf({ inventory, policy: silent });
        expect(new Set(plan.decisions.filter(isGoing).map(({ item }) => item.kind))).not.toContain('session');
        expect(new Set(plan.decisions.filter(isGoing).map(({ item }) => item.kind))).not.toContain('archive');
        const byHand = planOf(
          { inventory, policy: silent },
          { kind: 'gc', filter: {}, emptyMs: emptyMs ?? 0, trivialMs: trivialMs ?? 0, trivialMaxMessages: 50 },
        );
        expect(going(byHand)).toEqual(new Set());
      },
    );
  });

  it('keep more, never less, where a protection is not a number', () => {
    always(anyScene, ({ inventory, policy }) => {
      const scene = { inventory, policy: { ...withoutCounts(policy), bySource: {} } };
      for (const broken of [
        { minAgeMs: Number.NaN },
        { keepLast: Number.NaN },
        { keepLast: -3 },
        { abandonAfterMs: Number.NaN },
      ]) {
        const sessions = { ...scene.policy.sessions, ...broken };
        const whole = broken.keepLast === -3 ? { ...sessions, keepLast: 1 } : scene.policy.sessions;
        expectSubset(
          going(planOf({ inventory, policy: { ...scene.policy, sessions } })),
          going(planOf({ inventory, policy: { ...scene.policy, sessions: whole } })),
        );
      }
    });
  });

  it('never take a session whose time is not a number', () => {
    always(anyAskedCalmly, ({ scene, request }) => {
      const broken = withSessions(scene, (sessions) =>
        sessions.map((session, at) => (at % 2 === 0 ? { ...session, lastActiveAt: Number.NaN } : session)),
      );
      for (const [session, decision] of sessionFates(planOf(broken, request), broken.inventory)) {
        if (Number.isNaN(session.lastActiveAt)) expect(decision.action).toBe('keep');
      }
    });
  });
});

describe('a request by hand', () => {
  it('takes only the very ids that were named', () => {
    always(fc.tuple(anyScene, fc.subarray([...IDS, 'nowhere', 'a_', 'a_b_'])), ([scene, ids]) => {
      const plan = planOf(scene, { kind: 'delete', ids });
      for (const { item, action, reason } of plan.decisions) {
        if (action !== 'keep') expect([ids.includes(item.id), reason]).toEqual([true, 'named']);
        else if (!ids.includes(item.id)) expect(reason).toBe('not-selected');
      }
    });
  });

  it('touches sessions and their files alone, and none that the filter or the age leaves out', () => {
    always(anyAskedCalmly, ({ scene, request }) => {
      if (!('filter' in request)) return;
      const { filter } = request;
      const plan = planOf(scene, request);
      const ofSessions = request.kind === 'prune' && request.part === 'files' ? ['session', 'orphan'] : ['session'];
      for (const { item, action } of plan.decisions) if (action !== 'keep') expect(ofSessions).toContain(item.kind);
      for (const [session, decision] of sessionFates(plan, scene.inventory)) {
        if (!isGoing(decision)) continue;
        if (filter.source !== undefined) expect(session.source).toBe(filter.source);
        if (filter.workdir !== undefined) expect(session.workdir).toBe(filter.workdir);
        if (filter.title !== undefined) expect(session.title?.toLowerCase()).toContain(filter.title.toLowerCase());
        if (filter.maxMessages !== undefined) expect(session.messageCount).toBeLessThanOrEqual(filter.maxMessages);
        if ('before' in request) expect(session.lastActiveAt).toBeLessThan(request.before ?? 0);
      }
    });
  });

  it('for files takes those that no session owns, as old as was said, and nothing that is not certain', () => {
    const anyAge = fc.option(fc.constantFrom(0, 1, 30, 100), { nil: undefined });
    always(fc.tuple(anyScene, anyAge, anyDoubts), ([scene, days, doubts]) => {
      const age = days === undefined ? {} : { before: NOW - days * DAY_MS };
      const request = { kind: 'prune', filter: {}, ...age, part: 'files' } as const;
      const inventory = { ...scene.inventory, doubts };
      const gone = going(planOf({ ...scene, inventory }, request));
      const leastMs = days === undefined ? scene.policy.sessions.minAgeMs : days * DAY_MS + 1;
      for (const { kind, id, lastActiveAt } of inventory.strays) {
        const due = lastActiveAt <= NOW && NOW - lastActiveAt >= leastMs && doubts.length === 0;
        expect(gone.has(`${kind} ${id}`)).toBe(due && kind === 'orphan' && id.startsWith('sessions/'));
      }
      const narrowed = planOf(scene, { ...request, filter: { source: 'cli' } });
      expect([...going(narrowed)].filter((key) => !key.startsWith('session '))).toEqual([]);
    });
  });

  it('for slight sessions alone takes exactly those that the policy takes for being slight, source by source', () => {
    always(anyScene, (scene) => {
      const slight = planOf(scene).decisions.filter(({ reason }) => reason === 'empty' || reason === 'trivial');
      expect(going(planOf(scene, { kind: 'gc', filter: {} }))).toEqual(new Set(slight.map(keyOf)));
    });
  });

  it('goes below the least age only by a rule whose age was given', () => {
    const anyLimit = fc.option(fc.constantFrom(HOUR_MS, DAY_MS), { nil: undefined });
    always(fc.tuple(anyScene, anyLimit, anyLimit), ([scene, emptyMs, trivialMs]) => {
      const given = { ...(emptyMs !== undefined && { emptyMs }), ...(trivialMs !== undefined && { trivialMs }) };
      const plan = planOf(scene, { kind: 'gc', filter: {}, ...given });
      for (const [session, { action, reason }] of sessionFates(plan, scene.inventory)) {
        if (action === 'keep') continue;
        const own = rulesOf(scene.policy, session.source);
        const [limit, configured] = reason === 'empty' ? [emptyMs, own.emptyMs] : [trivialMs, own.trivialMs];
        expect(NOW - session.lastActiveAt).toBeGreaterThanOrEqual(
          limit ?? Math.max(configured ?? Infinity, own.minAgeMs),
        );
        expect([session.active, session.pinned]).toEqual([false, false]);
      }
    });
  });

  it('removes under no other name than it was asked for', () => {
    const allowed = { prune: ['remove', 'drop-files'], archive: ['archive'], gc: ['remove'], delete: ['remove'] };
    always(anyAskedCalmly, ({ scene, request }) => {
      if (!('filter' in request) && request.kind !== 'delete') return;
      for (const decision of planOf(scene, request).decisions) {
        if (isGoing(decision)) expect(allowed[request.kind]).toContain(decision.action);
      }
    });
  });

  it('says first of all when it has a filter and no age', () => {
    always(anyAskedCalmly, ({ scene, request }) => {
      if (request.kind !== 'prune' && request.kind !== 'archive') return;
      const [first = ''] = planOf(scene, request).notes;
      const filtered = Object.keys(request.filter).length > 0;
      expect(first.startsWith('No age limit is in force')).toBe(filtered && request.before === undefined);
      expect(first.startsWith('No age and no filter')).toBe(!filtered && request.before === undefined);
    });
  });
});
