import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { DAY_MS, HOUR_MS, isoTime, MINUTE_MS, SECOND_MS } from './time.ts';

describe('time', () => {
  it('is written in UTC with milliseconds', () => {
    expect(isoTime(NOW)).toBe('2026-01-15T12:00:00.000Z');
    expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z');
  });

  it('has a written form for every instant that a message may have', () => {
    expect(isoTime(8.64e15)).toBe('+275760-09-13T00:00:00.000Z');
  });

  it('counts in milliseconds', () => {
    expect([SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS]).toEqual([1000, 60_000, 3_600_000, 86_400_000]);
  });
});
