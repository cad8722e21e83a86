import { expect, it } from 'vitest';
import { systemClock } from './system-clock.ts';

it('tells the time of the machine', () => {
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

it('counts how long the machine has been on, for the same start of it, whatever the time is', () => {
  const first = systemClock.sinceBoot?.();
  const second = systemClock.sinceBoot?.();
  // Where the system does not tell one start from another there is no count either.
  expect(second?.boot).toBe(first?.boot);
  expect((second?.ms ?? 0) - (first?.ms ?? 0)).toBeGreaterThanOrEqual(0);
  if (process.platform === 'linux') expect(first?.ms).toBeGreaterThan(0);
});
