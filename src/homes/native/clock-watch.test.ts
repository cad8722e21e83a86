import { beforeEach, describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { SessionStore } from '../../core/session-store.ts';
import { DAY_MS, MINUTE_MS } from '../../core/time.ts';
import { judgeClock, recordClock } from './clock-watch.ts';

describe('the watch over the clock', () => {
  let store: SessionStore;

  beforeEach(async () => {
    store = await openNativeStore(tempDir());
    return () => store[Symbol.asyncDispose]();
  });

  it('trusts the first time it sees, and changes nothing by looking', async () => {
    expect(await judgeClock(store, NOW)).toBe('trusted');
    expect(await judgeClock(store, NOW - 1000 * DAY_MS)).toBe('trusted');
  });

  it.each([
    ['a few seconds back', -4000, 'trusted'],
    ['five minutes back', -5 * MINUTE_MS, 'trusted'],
    ['more than that', -5 * MINUTE_MS - 1, 'suspect'],
    ['a year on', 365 * DAY_MS, 'trusted'],
    ['two years on', 730 * DAY_MS, 'suspect'],
  ])('judges %s', async (_what, byMs, verdict) => {
    await recordClock(store, NOW);
    expect(await judgeClock(store, NOW + byMs)).toBe(verdict);
  });

  it('believes a clock again that has told consistent times for a day', async () => {
    await recordClock(store, NOW);
    const back = NOW - 30 * DAY_MS;
    await recordClock(store, back);
    expect(await judgeClock(store, back + DAY_MS - 1)).toBe('suspect');
    expect(await judgeClock(store, back + DAY_MS)).toBe('trusted');
    await recordClock(store, back + DAY_MS);
    expect(await judgeClock(store, back + DAY_MS + 1)).toBe('trusted');
    expect(await judgeClock(store, NOW)).toBe('trusted');
  });

  it('begins its doubt anew when the clock goes back further', async () => {
    await recordClock(store, NOW);
    await recordClock(store, NOW - 10 * DAY_MS);
    await recordClock(store, NOW - 20 * DAY_MS);
    expect(await judgeClock(store, NOW - 19 * DAY_MS)).toBe('trusted');
    expect(await judgeClock(store, NOW - 20 * DAY_MS + 1)).toBe('suspect');
  });
});
