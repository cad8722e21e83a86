import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';
import {
  formatAge,
  formatBytes,
  formatCount,
  formatDate,
  formatDuration,
  formatTime,
  formatTokens,
  formatUsd,
} from './format.ts';

const NOW = new Date(2026, 5, 15, 12, 0, 0).getTime();

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [512, '512 B'],
    [1023, '1023 B'],
    [1024, '1.0 KB'],
    [1536, '1.5 KB'],
    [10 * 1024 - 1, '10 KB'],
    [1024 * 1024 - 1, '1.0 MB'],
    [12 * 1024 ** 2, '12 MB'],
    [3.25 * 1024 ** 3, '3.3 GB'],
    [5000 * 1024 ** 5, '5000 PB'],
  ])('writes %d bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it('never shows more than four digits below a petabyte', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1024 ** 5 - 1 }), (bytes) => {
        expect(formatBytes(bytes)).toMatch(/^(\d{1,4}|\d\.\d) [KMGTP]?B$/);
      }),
    );
  });
});

it('writes counts, tokens, money and durations as people read them', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567');
  expect([950, 1200, 9950, 34_400, 999_600, 3_400_000].map(formatTokens)).toEqual([
    '950',
    '1.2k',
    '10k',
    '34k',
    '1.0M',
    '3.4M',
  ]);
  expect([0, 0.000_01, 0.0042, 0.5, 1234.5].map(formatUsd)).toEqual([
    '$0.00',
    '<$0.0001',
    '$0.0042',
    '$0.50',
    '$1,234.50',
  ]);
  expect([400, 45_000, 200_000, 7_500_000].map(formatDuration)).toEqual(['1 s', '45 s', '3 min 20 s', '2 h 5 min']);
});

it('writes dates and times where the person is', () => {
  expect(formatDate(new Date(2026, 0, 2).getTime())).toBe('2026-01-02');
  expect(formatTime(new Date(2026, 0, 2, 3, 4, 5).getTime())).toBe('2026-01-02 03:04:05');
});

describe('formatAge', () => {
  it.each([
    [0, 'just now'],
    [-30 * SECOND_MS, 'just now'],
    [59 * SECOND_MS, 'just now'],
    [5 * MINUTE_MS, '5 min ago'],
    [3 * HOUR_MS + 59 * MINUTE_MS, '3 h ago'],
    [DAY_MS, '1 day ago'],
    [30 * DAY_MS, '30 days ago'],
    [31 * DAY_MS, '2026-05-15'],
    [-DAY_MS, 'in the future (2026-06-16)'],
  ])('says what happened %d ms ago was %s', (age, text) => expect(formatAge(NOW - age, NOW)).toBe(text));
});
