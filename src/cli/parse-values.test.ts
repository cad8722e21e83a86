import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../core/failure.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/time.ts';
import { parseChoice, parseCount, parseDate, parsePast, parseSetting, parseText } from './parse-values.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');
const since = (text: string) => parseDate('--since', text, NOW);

function failureOf(action: () => unknown): Failure {
  try {
    action();
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error('it did not fail as expected');
}

describe('parseDate', () => {
  it.each([
    ['90d', 90 * DAY_MS],
    ['5h', 5 * HOUR_MS],
    ['30min', 30 * MINUTE_MS],
    ['2w', 14 * DAY_MS],
    ['2 W', 14 * DAY_MS],
    ['7', 7 * DAY_MS],
    ['0d', 0],
  ])('reads %s as an age', (text, age) => expect(since(text)).toBe(NOW - age));

  it('reads a date and a time without a zone where the person is', () => {
    expect(since('2026-01-31')).toBe(new Date(2026, 0, 31).getTime());
    expect(since('2026-01-31 17:05')).toBe(new Date(2026, 0, 31, 17, 5).getTime());
  });

  it('reads every ISO time with its zone exactly', () => {
    const dates = fc.date({ min: new Date(0), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true });
    fc.assert(fc.property(dates, (date) => since(date.toISOString()) === date.getTime()));
    expect(since('2026-01-31T10:00+02:00')).toBe(Date.parse('2026-01-31T08:00:00Z'));
  });

  it.each(['', 'yesterday', '2026-02-30', '2026-13-01', '2026-01-31T25:00', '-5d', '1.5d', '5d6h', '31/01/2026', '٣d'])(
    'refuses %j with a valid example',
    (text) => {
      const failure = failureOf(() => since(text));
      expect(failure.code).toBe('usage');
      expect(failure.hint).toContain('--since 2026-01-31');
    },
  );

  it('refuses a bare m, and names min', () => {
    expect(failureOf(() => since('5m')).hint).toContain('--since 5min');
  });

  it('refuses an unknown unit with the list of units', () => {
    expect(failureOf(() => since('5y')).hint).toContain('min, h, d, w');
    expect(failureOf(() => since('5constructor')).code).toBe('usage');
  });

  it('refuses a date without dashes instead of reading it as days', () => {
    expect(failureOf(() => since('20260131')).hint).toContain('2026-01-31');
    expect(failureOf(() => since('9'.repeat(400))).code).toBe('usage');
  });
});

describe('parseCount', () => {
  it('takes whole numbers above zero and nothing else', () => {
    fc.assert(fc.property(fc.integer({ min: 1 }), (n) => parseCount('--limit', String(n)) === n));
    for (const text of ['0', '-1', '1.5', '1e3', '0x10', '', ' 5', 'ten', '9'.repeat(20)])
      expect(failureOf(() => parseCount('--limit', text)).hint).toBe('For example: --limit 20');
  });
});

it('takes one of the choices, and lists them otherwise', () => {
  expect(parseChoice('--sort', 'bytes', ['last', 'bytes'])).toBe('bytes');
  expect(failureOf(() => parseChoice('--sort', 'size', ['last', 'bytes'])).hint).toContain('last, bytes');
});

it('splits a setting at the first equals sign', () => {
  expect(parseSetting('a.b=c=d')).toEqual({ key: 'a.b', value: 'c=d' });
  expect(parseSetting('a=')).toEqual({ key: 'a', value: '' });
  for (const text of ['a', '=b', '']) expect(failureOf(() => parseSetting(text)).code).toBe('usage');
});

it('refuses an empty text, which is what an unset variable leaves', () => {
  expect(parseText('--home', '/srv')).toBe('/srv');
  expect(failureOf(() => parseText('--home', ' ')).message).toContain('--home');
});

it('takes only what lies back where everything newer would be meant otherwise', () => {
  expect(parsePast('--older-than', '1min', NOW)).toBe(NOW - MINUTE_MS);
  for (const text of ['0', '0d', '0h', '2026-06-16', '2999-01-01'])
    expect(failureOf(() => parsePast('--older-than', text, NOW))).toMatchObject({ code: 'usage' });
});
