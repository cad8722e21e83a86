import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { aSession } from '../../test/support/inventories.ts';
import {
  anyAskedCalmly,
  expectSubset,
  going,
  groupsOf,
  isGoing,
  isLeaving,
  planOf,
  rulesOf,
  sessionFates,
  withSessions,
} from '../../test/support/planned-scenes.ts';
import { always, anyScene, anyTightScene, conversationOf, IDS, withoutCounts } from '../../test/support/scenes.ts';
import { type SessionItem } from '../core/inventory.ts';
import type { Policy, SessionRules } from '../core/policy.ts';
import { DAY_MS } from '../core/time.ts';

describe('floors', () => {
  /** Whether a conversation is one of those that `keepLast` counts, by the rules of all its sources. */
  function counts(members: readonly SessionItem[], policy: Policy): boolean {
    const messageCount = members.reduce((sum, member) => sum + member.messageCount, 0);
    const slight = members.every(({ source }) => {
      const { trivialMs, trivialMaxMessages } = rulesOf(policy, source);
      return messageCount === 0 || (trivialMs !== undefined && messageCount <= trivialMaxMessages);
    });
    const staysAnyway = members.some(
      ({ active, unreadable, lastActiveAt }) => active || unreadable === true || lastActiveAt > NOW,
    );
    return !slight && !staysAnyway;
  }

  it('keep the newest of each group on the list, for everything but a request for one by name', () => {
    always(anyAskedCalmly, ({ scene: { inventory, policy }, request }) => {
      if (request.kind === 'delete' || request.kind === 'gc') return;
      const { sessions } = inventory;
      const fates = sessionFates(planOf({ inventory, policy }, request), inventory);
      const leaving = new Set(fates.flatMap(([{ id }, decision]) => (isLeaving(decision) ? [id] : [])));
      for (const group of groupsOf(sessions).values()) {
        const counted = group.filter(({ id }) => {
          const conversation = conversationOf(sessions, id);
          return counts(
            sessions.filter((session) => conversation.has(session.id)),
            policy,
          );
        });
        const newest = counted.toSorted((a, b) => b.lastActiveAt - a.lastActiveAt || (a.id < b.id ? 1 : -1));
        const { keepLast } = rulesOf(policy, group[0]?.source ?? '');
        for (const { id } of newest.slice(0, keepLast)) expect(leaving).not.toContain(id);
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

  it('do not count what is active, unreadable or dated in the future', () => {
    const extras = fc.constantFrom<Partial<SessionItem>>(
      { active: true },
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
        sessions: { ...policy.sessions, transcriptRetentionMs: undefined },
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
  const stricter = (rules: Partial<SessionRules>): Partial<SessionRules> => ({
    ...rules,
    ...(rules.minAgeMs !== undefined && { minAgeMs: rules.minAgeMs / 2 }),
    ...(rules.abandonAfterMs !== undefined && { abandonAfterMs: rules.abandonAfterMs / 2 }),
    retentionMs: days(rules.retentionMs),
    transcriptRetentionMs: days(rules.transcriptRetentionMs) ?? 30 * DAY_MS,
    archiveAfterMs: days(rules.archiveAfterMs),
    emptyMs: days(rules.emptyMs) ?? 60 * DAY_MS,
    trivialMs: days(rules.trivialMs),
    ...(rules.keepLast !== undefined && { keepLast: Math.max(1, rules.keepLast - 1) }),
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

  it('touches sessions alone, and none that the filter or the age leaves out', () => {
    always(anyAskedCalmly, ({ scene, request }) => {
      if (!('filter' in request)) return;
      const { filter } = request;
      const plan = planOf(scene, request);
      for (const { item, action } of plan.decisions) if (action !== 'keep') expect(item.kind).toBe('session');
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
