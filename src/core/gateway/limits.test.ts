import { describe, expect, it } from 'vitest';
import { GUARD_NAMES, guardSetting, guardUnit } from './guards.ts';
import {
  COUNTERS,
  counted,
  DAY_COUNTERS,
  ofEachSpent,
  RUN_COUNTERS,
  runLimitName,
  runOption,
  SIZE_COUNTERS,
  SPENT_COUNTERS,
  SPENT_UNITS,
  spentCounterOf,
} from './limits.ts';

describe('the table of limits', () => {
  it('is of what grows and what is spent, and of nothing else', () => {
    expect([...SIZE_COUNTERS, ...SPENT_COUNTERS]).toEqual(COUNTERS);
    for (const counter of [...DAY_COUNTERS, ...RUN_COUNTERS]) expect(SPENT_COUNTERS).toContain(counter);
  });

  it('has a unit for each counter, by which it is found again', () => {
    expect(new Set(SPENT_UNITS).size).toBe(SPENT_COUNTERS.length);
    for (const counter of SPENT_COUNTERS)
      expect(spentCounterOf(SPENT_UNITS[SPENT_COUNTERS.indexOf(counter)] ?? 'usd')).toBe(counter);
  });

  it('counts what is set in smaller units, in whole billionths of a dollar, and never is no limit', () => {
    expect(counted('bytes', 1.5)).toBe(1_572_864);
    expect(counted('wallMs', 2)).toBe(120_000);
    expect(counted('nanoUsd', 0.29)).toBe(290_000_000);
    expect([counted('tokens', 'never'), counted('tokens', undefined)]).toEqual([undefined, undefined]);
  });

  it('names the limits of a run after their units', () => {
    expect(RUN_COUNTERS.map(runLimitName)).toContain('maxUsd');
    expect(runOption('nanoUsd')).toBe('--max-usd');
  });

  it('gives each counter a value of its own', () => {
    expect(Object.entries(ofEachSpent((counter, index) => `${counter} ${index}`))).toEqual(
      SPENT_COUNTERS.map((counter, index) => [counter, `${counter} ${index}`]),
    );
  });
});

describe('the table of guards', () => {
  it('names settings by the unit in which they are set', () => {
    expect(guardSetting('bytes-per-minute')).toBe('mb_per_minute');
    expect(guardSetting('tool-errors')).toBe('tool_errors');
    expect(guardUnit('bytes-per-minute')).toBe('mb-per-minute');
    expect(new Set(GUARD_NAMES.map((name) => guardSetting(name))).size).toBe(GUARD_NAMES.length);
  });
});
