import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { anOpenSession, aPolicy, aSession } from '../../test/support/inventories.ts';
import { anyAsked, going, planOf, rulesOf, sessionFates } from '../../test/support/planned-scenes.ts';
import { always, anyTightScene } from '../../test/support/scenes.ts';
import type { SessionItem } from '../core/retention/inventory.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';
import { abandonmentTest } from './abandonment-test.ts';

describe('an abandoned session', () => {
  const isAbandoned = (session: SessionItem, policy = aPolicy()) => abandonmentTest(policy, NOW)(session);

  it('is one that nobody ended and nobody used for long', () => {
    expect(isAbandoned(anOpenSession('it', { lastActiveAt: NOW - DAY_MS }))).toBe(true);
    expect(isAbandoned(anOpenSession('it', { lastActiveAt: NOW - DAY_MS + 1 }))).toBe(false);
    expect(isAbandoned(aSession('it'))).toBe(false);
  });

  it.each([{ active: true }, { routed: true as const }])('is none that is in use otherwise: %o', (use) => {
    expect(isAbandoned(anOpenSession('it', use))).toBe(false);
  });

  it('is one by the rules of its source, and never by a limit that is none', () => {
    const bySource = { telegram: { abandonAfterMs: 30 * DAY_MS } };
    const policy = aPolicy({ abandonAfterMs: HOUR_MS }, { bySource });
    const chat = anOpenSession('it', { source: 'telegram', lastActiveAt: NOW - 29 * DAY_MS });
    expect([isAbandoned(chat, policy), isAbandoned({ ...chat, source: 'cli' }, policy)]).toEqual([false, true]);
    for (const abandonAfterMs of [0, -1, Number.NaN]) {
      expect(isAbandoned(anOpenSession('it'), aPolicy({ abandonAfterMs }))).toBe(false);
    }
    expect(isAbandoned(anOpenSession('it', { lastActiveAt: Number.NaN }))).toBe(false);
  });

  it('is never closed and removed in one pass, whatever the policy and whatever is asked', () => {
    always(anyAsked, ({ scene, request, doubts }) => {
      const inventory = { ...scene.inventory, doubts };
      const closes = abandonmentTest(scene.policy, NOW);
      for (const [session, decision] of sessionFates(planOf({ ...scene, inventory }, request), inventory)) {
        if (closes(session)) expect(decision.action).toBe('keep');
      }
    });
  });

  it('stays for at least its least age after it was closed, unless a person names it or an age', () => {
    always(fc.tuple(anyTightScene, fc.nat(8 * DAY_MS)), ([{ inventory, policy }, laterMs]) => {
      const closes = abandonmentTest(policy, NOW);
      const closed = inventory.sessions.filter(closes);
      const sessions = inventory.sessions.map((session) =>
        closed.includes(session) ? { ...session, endedAt: NOW, endReason: 'abandoned' } : session,
      );
      const scene = { inventory: { ...inventory, sessions }, policy };
      const gone = going(planOf(scene, { kind: 'policy' }, NOW + laterMs));
      for (const { id, source } of closed) {
        if (laterMs < rulesOf(policy, source).minAgeMs) expect(gone).not.toContain(`session ${id}`);
      }
    });
  });
});
