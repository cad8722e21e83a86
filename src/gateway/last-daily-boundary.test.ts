import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, isoTime } from '../core/time.ts';
import { lastDailyBoundary } from './last-daily-boundary.ts';
import { localDay, zoneOffset } from './zone-offset.ts';

const at = (iso: string) => Date.parse(iso);
const boundary = (now: string, zone: string, atHour: number) =>
  isoTime(lastDailyBoundary(at(now), { atHour, offsetAt: zoneOffset(zone) }));

describe('lastDailyBoundary', () => {
  it.each([
    ['an ordinary day', '2026-01-15T12:00:00Z', 'UTC', 4, '2026-01-15T04:00:00.000Z'],
    ['just before the hour', '2026-01-15T03:59:59.999Z', 'UTC', 4, '2026-01-14T04:00:00.000Z'],
    ['at the hour', '2026-01-15T04:00:00Z', 'UTC', 4, '2026-01-15T04:00:00.000Z'],
    ['a zone ahead by half an hour', '2026-01-15T00:00:00Z', 'Asia/Kolkata', 4, '2026-01-14T22:30:00.000Z'],
    ['a leap day', '2024-02-29T12:00:00Z', 'America/New_York', 4, '2024-02-29T09:00:00.000Z'],
    ['the day after a leap day', '2024-03-01T08:59:00Z', 'America/New_York', 4, '2024-02-29T09:00:00.000Z'],
    ['an hour that is skipped', '2026-03-29T12:00:00Z', 'Europe/Berlin', 2, '2026-03-29T01:00:00.000Z'],
    ['an hour after the skipped one', '2026-03-29T12:00:00Z', 'Europe/Berlin', 3, '2026-03-29T01:00:00.000Z'],
    ['an hour that comes twice', '2026-10-25T12:00:00Z', 'Europe/Berlin', 2, '2026-10-25T00:00:00.000Z'],
    ['the second of the two', '2026-10-25T01:30:00Z', 'Europe/Berlin', 2, '2026-10-25T00:00:00.000Z'],
    ['midnight that is skipped', '2018-11-04T12:00:00Z', 'America/Sao_Paulo', 0, '2018-11-04T03:00:00.000Z'],
    ['clocks that go back over midnight', '2010-11-07T03:00:00Z', 'America/St_Johns', 0, '2010-11-07T02:30:00.000Z'],
    ['a day that does not exist', '2011-12-30T12:00:00Z', 'Pacific/Apia', 4, '2011-12-29T14:00:00.000Z'],
    ['the day after it', '2011-12-30T14:00:00Z', 'Pacific/Apia', 4, '2011-12-30T14:00:00.000Z'],
  ])('finds it on %s', (_, now, zone, atHour, expected) => {
    expect(boundary(now, zone, atHour)).toBe(expected);
  });

  const ZONES = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'America/St_Johns',
    'America/Nuuk',
    'America/Sao_Paulo',
    'Africa/Cairo',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Antarctica/Troll',
    'Pacific/Apia',
  ].map((name) => ({ name, offsetAt: zoneOffset(name), turns: turnsOf(name) }));

  /** Instants near the changes of the clocks come up as often as all others. */
  const scene = fc.constantFrom(...ZONES).chain(({ name, offsetAt, turns }) =>
    fc.record({
      zone: fc.constant(name),
      atHour: fc.integer({ min: 0, max: 23 }),
      offsetAt: fc.constant(offsetAt),
      now: fc.oneof(
        fc.integer({ min: at('1972-01-01'), max: at('2037-12-31') }),
        fc
          .tuple(fc.constantFrom(...turns), fc.integer({ min: -30 * HOUR_MS, max: 30 * HOUR_MS }))
          .map(([turn, by]) => turn + by),
      ),
    }),
  );

  it('is at the local hour, or at the jump over it, and the last such instant', () => {
    fc.assert(
      fc.property(scene, ({ atHour, offsetAt, now }) => {
        const found = lastDailyBoundary(now, { atHour, offsetAt });
        expect(found).toBeLessThanOrEqual(now);
        const wall = new Date(found + offsetAt(found));
        const wanted = Date.parse(`${localDay(found, offsetAt)}T00:00:00Z`) + atHour * HOUR_MS;
        const justBefore = found - 1 + offsetAt(found - 1);
        expect(wall.getTime()).toBeGreaterThanOrEqual(wanted);
        expect(justBefore).toBeLessThan(wanted);
        expect(lastDailyBoundary(found, { atHour, offsetAt })).toBe(found);
      }),
      { numRuns: 2000 },
    );
  });

  it('never comes twice in one local day and never leaves a day out that has its hour', () => {
    fc.assert(
      fc.property(scene, ({ zone, atHour, offsetAt, now }) => {
        const rule = { atHour, offsetAt };
        const found = lastDailyBoundary(now, rule);
        const before = lastDailyBoundary(found - 1, rule);
        expect(localDay(before, offsetAt) < localDay(found, offsetAt)).toBe(true);
        // Nuuk skips the last hour of a day, Apia a whole one.
        const longest = ['America/Nuuk', 'Pacific/Apia'].includes(zone) ? 48 : 26;
        expect(found - before).toBeLessThanOrEqual(longest * HOUR_MS);
      }),
      { numRuns: 2000 },
    );
  });

  it('never goes back while time goes on', () => {
    fc.assert(
      fc.property(scene, fc.integer({ min: 0, max: 50 * HOUR_MS }), ({ atHour, offsetAt, now }, later) => {
        const rule = { atHour, offsetAt };
        expect(lastDailyBoundary(now + later, rule)).toBeGreaterThanOrEqual(lastDailyBoundary(now, rule));
      }),
      { numRuns: 2000 },
    );
  });
});

/** Days on which the clocks of a zone changed, found by looking at every day. */
function turnsOf(zone: string): readonly number[] {
  const offsetAt = zoneOffset(zone);
  const turns = [at('2000-01-01')];
  for (let day = at('2005-01-01'); day < at('2030-01-01'); day += 24 * HOUR_MS) {
    if (offsetAt(day) !== offsetAt(day + 24 * HOUR_MS)) turns.push(day);
  }
  return turns;
}
