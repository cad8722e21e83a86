import { beforeEach, describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { SessionStore } from '../../core/session-store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/time.ts';
import { judgeClock, recordClock, recordClockNowAndThen } from './clock-watch.ts';

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

  it('goes by what the home was used for where no time was recorded yet', async () => {
    await store.create({ id: 's', source: 'cli' });
    expect(await judgeClock(store, NOW + 30 * DAY_MS)).toBe('trusted');
    expect(await judgeClock(store, NOW + 3650 * DAY_MS)).toBe('suspect');
    // A session from the future says nothing about the clock.
    expect(await judgeClock(store, NOW - DAY_MS)).toBe('trusted');
  });

  it('goes by its runs where every session is gone', async () => {
    const request = { kind: 'policy' } as const;
    await store.journal.begin({ id: 'later', request, startedAt: NOW + 4000 * DAY_MS, expiresAt: NOW });
    await store.journal.begin({ id: 'run', request, startedAt: NOW, expiresAt: NOW });
    expect(await judgeClock(store, NOW + 30 * DAY_MS)).toBe('trusted');
    expect(await judgeClock(store, NOW + 3650 * DAY_MS)).toBe('suspect');
  });

  it('does not take two times that are years apart for a clock that went on', async () => {
    await recordClock(store, NOW);
    for (const years of [10, 20, 30]) {
      await recordClock(store, NOW + years * 365 * DAY_MS);
      expect(await judgeClock(store, NOW + years * 365 * DAY_MS)).toBe('suspect');
    }
    expect(await judgeClock(store, NOW + 30 * 365 * DAY_MS + DAY_MS)).toBe('trusted');
  });

  it('is written down now and then, and not each time', async () => {
    await recordClockNowAndThen(store, NOW);
    await recordClockNowAndThen(store, NOW + HOUR_MS - 1);
    expect(await store.getMeta('latest-time-seen')).toBe(String(NOW));
    await recordClockNowAndThen(store, NOW + HOUR_MS);
    expect(await store.getMeta('latest-time-seen')).toBe(String(NOW + HOUR_MS));
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
