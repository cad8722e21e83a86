import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/time.ts';
import { decideReset, type ResetRules, type ResetSession } from './decide-reset.ts';
import { lastDailyBoundary } from './last-daily-boundary.ts';
import { localDay, zoneOffset } from './zone-offset.ts';

const rulesWith = (rules: Partial<ResetRules>): ResetRules => ({
  mode: 'none',
  idleMs: HOUR_MS,
  daily: { atHour: 4, offsetAt: () => 0 },
  maxBackgroundMs: DAY_MS,
  ...rules,
});

const sessionWith = (session: Partial<ResetSession>): ResetSession => ({
  startedAt: NOW - 10 * MINUTE_MS,
  lastActiveAt: NOW,
  messageCount: 3,
  sizeBytes: 100,
  ...session,
});

const decide = (session: Partial<ResetSession>, rules: Partial<ResetRules> = {}, now = NOW) =>
  decideReset({ now, session: sessionWith(session), rules: rulesWith(rules) });

describe('decideReset', () => {
  it('lets a conversation go on that no rule ends', () => {
    expect(decide({})).toEqual({ kind: 'continue' });
    expect(decide({ startedAt: 0, lastActiveAt: 0, messageCount: 1e9, sizeBytes: 1e12 })).toEqual({ kind: 'continue' });
  });

  it.each(['idle', 'both'] as const)('starts afresh after the idle time with mode %s', (mode) => {
    const almost = { startedAt: NOW - 2 * HOUR_MS, lastActiveAt: NOW - HOUR_MS + 1 };
    expect(decide(almost, { mode })).toEqual({ kind: 'continue' });
    expect(decide({ ...almost, lastActiveAt: NOW - HOUR_MS }, { mode })).toEqual({ kind: 'reset', reason: 'idle' });
  });

  it.each(['daily', 'both'] as const)('starts afresh after the hour of the day with mode %s', (mode) => {
    const hour = NOW - 8 * HOUR_MS;
    expect(decide({ startedAt: hour - 1 }, { mode })).toEqual({ kind: 'reset', reason: 'daily' });
    expect(decide({ startedAt: hour }, { mode })).toEqual({ kind: 'continue' });
  });

  it('knows only the rules of its mode', () => {
    expect(decide({ startedAt: 0 }, { mode: 'idle' })).toEqual({ kind: 'continue' });
    expect(decide({ lastActiveAt: 0 }, { mode: 'daily' })).toEqual({ kind: 'continue' });
  });

  it.each([
    ['messages', { messageCount: 1000 }],
    ['size', { sizeBytes: 5000 }],
  ] as const)('starts afresh when the limit of %s is reached, in every mode and during a run', (reason, full) => {
    const rules = { maxMessages: 1000, maxBytes: 5000 };
    expect(decide({ ...full, backgroundSince: NOW }, rules)).toEqual({ kind: 'reset', reason });
    expect(decide({ messageCount: 999, sizeBytes: 4999 }, rules)).toEqual({ kind: 'continue' });
  });

  it.each(['crash', 'disconnect', 'abandoned', 'shutdown'])('goes on after an end by accident: %s', (endReason) => {
    expect(decide({ endedAt: NOW, endReason })).toEqual({ kind: 'resume' });
    expect(decide({ endedAt: NOW, endReason, lastActiveAt: 0 }, { mode: 'idle' })).toMatchObject({ reason: 'idle' });
  });

  it.each(['reset', 'closed', 'budget: tokens', 'done'])('starts afresh after an end on purpose: %s', (endReason) => {
    expect(decide({ endedAt: NOW, endReason })).toEqual({ kind: 'reset', reason: 'ended' });
  });

  it('waits for a run in the background, but not for ever', () => {
    const run = { lastActiveAt: NOW - 2 * HOUR_MS, backgroundSince: NOW - HOUR_MS };
    const waiting = { kind: 'wait', reason: 'idle', untilAt: NOW - HOUR_MS + DAY_MS };
    expect(decide(run, { mode: 'idle' })).toEqual(waiting);
    expect(decide(run, { mode: 'idle' }, waiting.untilAt - 1)).toEqual(waiting);
    expect(decide(run, { mode: 'idle' }, waiting.untilAt)).toEqual({ kind: 'reset', reason: 'idle' });
    expect(decide({ backgroundSince: NOW }, { mode: 'idle' })).toEqual({ kind: 'continue' });
  });

  it('makes up for a daily reset that a run put off, however busy the session was since', () => {
    const night = { startedAt: NOW - DAY_MS, lastActiveAt: NOW };
    expect(decide({ ...night, backgroundSince: NOW - HOUR_MS }, { mode: 'daily' })).toMatchObject({ kind: 'wait' });
    expect(decide(night, { mode: 'daily' })).toEqual({ kind: 'reset', reason: 'daily' });
  });
});

describe('decideReset, for any session', () => {
  const offsets = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia'].map(zoneOffset);
  const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2037, 0) });
  const rules = fc.record({
    mode: fc.constantFrom('none' as const, 'idle' as const, 'daily' as const, 'both' as const),
    idleMs: fc.integer({ min: MINUTE_MS, max: 3 * DAY_MS }),
    daily: fc.record({ atHour: fc.integer({ min: 0, max: 23 }), offsetAt: fc.constantFrom(...offsets) }),
    maxBackgroundMs: fc.integer({ min: HOUR_MS, max: 3 * DAY_MS }),
    maxMessages: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
    maxBytes: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
  });
  const session = (now: number) => {
    const near = fc.integer({ min: -4 * DAY_MS, max: DAY_MS }).map((by) => now + by);
    return fc.record(
      {
        startedAt: near,
        lastActiveAt: near,
        messageCount: fc.integer({ min: 0, max: 12 }),
        sizeBytes: fc.integer({ min: 0, max: 12 }),
        endedAt: near,
        endReason: fc.constantFrom('crash', 'closed', 'anything'),
        backgroundSince: near,
      },
      { requiredKeys: ['startedAt', 'lastActiveAt', 'messageCount', 'sizeBytes'] },
    );
  };
  const scene = instant.chain((now) => fc.record({ now: fc.constant(now), session: session(now), rules }));

  it('always answers, the same each time, and only goes from continue over wait to reset as time passes', () => {
    const order = ['continue', 'resume', 'wait', 'reset'];
    fc.assert(
      fc.property(scene, fc.integer({ min: 0, max: 5 * DAY_MS }), (asked, laterMs) => {
        const first = decideReset(asked);
        expect(decideReset(asked)).toEqual(first);
        const later = decideReset({ ...asked, now: asked.now + laterMs });
        expect(order.indexOf(later.kind)).toBeGreaterThanOrEqual(order.indexOf(first.kind));
      }),
      { numRuns: 1000 },
    );
  });

  it('never starts afresh by time when the stamps of a session are in the future', () => {
    fc.assert(
      fc.property(scene, fc.integer({ min: 1, max: 400 * DAY_MS }), (asked, backMs) => {
        const { startedAt, lastActiveAt } = asked.session;
        const now = Math.min(startedAt, lastActiveAt) - backMs;
        const open = { startedAt, lastActiveAt, messageCount: 0, sizeBytes: 0 };
        expect(decideReset({ ...asked, now, session: open })).toEqual({ kind: 'continue' });
      }),
    );
  });

  it('starts a conversation afresh at most once in a local day, however often it is asked', () => {
    fc.assert(
      fc.property(
        instant,
        rules,
        fc.array(fc.integer({ min: 1, max: 5 * HOUR_MS }), { maxLength: 60 }),
        (start, given, gaps) => {
          const { offsetAt } = given.daily;
          let startedAt = start;
          let now = start;
          const days: string[] = [];
          for (const gap of gaps) {
            now += gap;
            const open = { startedAt, lastActiveAt: now, messageCount: 0, sizeBytes: 0 };
            if (decideReset({ now, session: open, rules: { ...given, mode: 'daily' } }).kind !== 'reset') continue;
            days.push(localDay(lastDailyBoundary(now, given.daily), offsetAt));
            startedAt = now;
          }
          expect(new Set(days).size).toBe(days.length);
        },
      ),
    );
  });
});
