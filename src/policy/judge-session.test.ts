import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../core/time.ts';
import { type JudgedSession, judgeSession, type SessionRules } from './judge-session.ts';

const NOW = Date.UTC(2026, 10, 15);
const RULES: SessionRules = {
  minAgeMs: DAY_MS,
  abandonAfterMs: DAY_MS,
  retentionMs: 90 * DAY_MS,
  emptyMs: DAY_MS,
  trivialMs: 7 * DAY_MS,
  trivialMaxMessages: 5,
  keepTags: ['keep'],
};

function aSession(given: Partial<JudgedSession> = {}): JudgedSession {
  const lastActiveAt = NOW - 100 * DAY_MS;
  return { lastActiveAt, endedAt: lastActiveAt, messageCount: 40, pinned: false, tags: [], active: false, ...given };
}

const anySession: fc.Arbitrary<JudgedSession> = fc
  .record({
    lastActiveAt: fc.integer({ min: NOW - 400 * DAY_MS, max: NOW + 10 * DAY_MS }),
    endedAt: fc.option(fc.integer({ min: NOW - 400 * DAY_MS, max: NOW }), { nil: undefined }),
    messageCount: fc.nat(30),
    pinned: fc.boolean(),
    tags: fc.array(fc.constantFrom('keep', 'work')),
    active: fc.boolean(),
  })
  .map(({ endedAt, ...rest }) => ({ ...rest, ...(endedAt !== undefined && { endedAt }) }));

describe('judgeSession', () => {
  it('expires what is empty, trivial or past its retention, each by its own rule', () => {
    expect(judgeSession(aSession(), RULES, NOW)).toEqual({ kind: 'expire', rule: 'retention' });
    expect(judgeSession(aSession({ messageCount: 0 }), RULES, NOW)).toEqual({ kind: 'expire', rule: 'empty' });
    expect(judgeSession(aSession({ messageCount: 5 }), RULES, NOW)).toEqual({ kind: 'expire', rule: 'trivial' });
  });

  it('keeps what no rule has reached', () => {
    const recent = { lastActiveAt: NOW - 2 * DAY_MS, endedAt: NOW - 2 * DAY_MS };
    expect(judgeSession(aSession(recent), RULES, NOW)).toEqual({ kind: 'keep', reason: 'not-expired' });
    expect(judgeSession(aSession({ ...recent, messageCount: 3 }), RULES, NOW).kind).toBe('keep');
  });

  it('counts age from the last activity, not from the end', () => {
    expect(judgeSession(aSession({ endedAt: NOW - HOUR_MS }), RULES, NOW).kind).toBe('expire');
  });

  it('lets an open session age only once it counts as abandoned', () => {
    const { endedAt: _, ...open } = aSession({ messageCount: 0, lastActiveAt: NOW - 30 * HOUR_MS });
    expect(judgeSession(open, RULES, NOW)).toEqual({ kind: 'hold', reason: 'young' });
    expect(judgeSession(open, RULES, NOW - 10 * HOUR_MS)).toEqual({ kind: 'hold', reason: 'open' });
    expect(judgeSession(open, RULES, NOW + DAY_MS)).toEqual({ kind: 'expire', rule: 'empty' });
  });

  it('never expires what is active, pinned, young, tagged to be kept or dated in the future', () => {
    fc.assert(
      fc.property(anySession, (session) => {
        if (judgeSession(session, RULES, NOW).kind !== 'expire') return;
        expect(session.active || session.pinned || session.tags.includes('keep')).toBe(false);
        expect(NOW - session.lastActiveAt).toBeGreaterThanOrEqual(RULES.minAgeMs);
      }),
    );
  });

  it('expires nothing when no expiry rule is set', () => {
    const { retentionMs: _r, emptyMs: _e, trivialMs: _t, ...none } = RULES;
    fc.assert(fc.property(anySession, (session) => judgeSession(session, none, NOW).kind !== 'expire'));
  });

  it('never keeps more under a stricter rule', () => {
    fc.assert(
      fc.property(anySession, fc.integer({ min: 1, max: 90 }), (session, days) => {
        if (judgeSession(session, RULES, NOW).kind !== 'expire') return;
        expect(judgeSession(session, { ...RULES, retentionMs: days * DAY_MS }, NOW).kind).toBe('expire');
      }),
    );
  });
});
