import { expect, it } from 'vitest';
import { systemClock } from './system-clock.ts';

it('tells the time of the machine', () => {
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
