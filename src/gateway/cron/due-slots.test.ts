import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronJob } from '../../../test/support/cron-job.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/time.ts';
import { cronSessionId } from './cron-job.ts';
import { dueSlots, nextSlots } from './due-slots.ts';

const NOW = Date.UTC(2026, 10, 15, 12, 7);

describe('due slots', () => {
  it('has nothing due before the first slot', () => {
    expect(dueSlots(cronJob(), { since: NOW, now: NOW + 5 * MINUTE_MS })).toEqual({ run: undefined, missed: [] });
  });

  it('runs a slot once it has come', () => {
    expect(dueSlots(cronJob(), { since: NOW, now: NOW + 8 * MINUTE_MS })).toEqual({
      run: NOW + 8 * MINUTE_MS,
      missed: [],
    });
  });

  it('makes up for the newest of the slots that were missed, and only for that', () => {
    const { run, missed } = dueSlots(cronJob(), { since: NOW, now: NOW + 2 * HOUR_MS });
    expect(run).toBe(Date.UTC(2026, 10, 15, 14, 0));
    expect(missed).toHaveLength(7);
  });

  it('passes over late slots where the job says so', () => {
    const { run, missed } = dueSlots(cronJob({ missed: 'skip' }), { since: NOW, now: NOW + 2 * HOUR_MS });
    expect(run).toBeUndefined();
    expect(missed).toHaveLength(8);
  });

  it('runs once on the day the clock goes forward and once on the day it goes back', () => {
    const nightly = cronJob({ schedule: '30 2 * * *', timeZone: 'Europe/Paris' });
    for (const day of [Date.UTC(2026, 2, 28, 12), Date.UTC(2026, 9, 24, 12)]) {
      expect(nextSlots(nightly, day, 10).filter((slot) => slot < day + DAY_MS)).toHaveLength(1);
    }
  });

  it('never runs a slot that has not come, and never two', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: DAY_MS }), fc.constantFrom('run-once', 'skip'), (gap, missed) => {
        const { run, missed: past } = dueSlots(cronJob({ missed }), { since: NOW, now: NOW + gap });
        const all = [...past, ...(run === undefined ? [] : [run])];
        expect(all.every((slot) => slot > NOW && slot <= NOW + gap)).toBe(true);
        expect(new Set(all).size).toBe(all.length);
        expect(all).toHaveLength(nextSlots(cronJob(), NOW, 100).filter((slot) => slot <= NOW + gap).length);
      }),
    );
  });

  it('says what a schedule should look like', () => {
    expect(() => nextSlots(cronJob({ schedule: 'every day' }), NOW, 1)).toThrow(/cannot be read/);
  });
});

describe('the id of a run', () => {
  it('names the job and the slot', () => {
    expect(cronSessionId('report', NOW)).toBe('cron_report_20261115_120700');
  });
});
