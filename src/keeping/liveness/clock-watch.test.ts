import { beforeEach, describe, expect, it } from 'vitest';
import { machineClock, manualClock, NOW } from '../../../test/support/clock.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/time.ts';
import { isClockAhead, judgeClock, recordClock, recordClockNowAndThen } from './clock-watch.ts';

describe('the watch over the clock', () => {
  let store: SessionStore;

  beforeEach(async () => {
    store = await openNativeStore(tempDir());
    return () => store[Symbol.asyncDispose]();
  });

  it('trusts the first time it sees, and changes nothing by looking', async () => {
    expect(await judgeClock(store, manualClock(NOW))).toBe('trusted');
    expect(await judgeClock(store, manualClock(NOW - 1000 * DAY_MS))).toBe('trusted');
  });

  it('goes by what the home was used for where no time was recorded yet', async () => {
    await store.create({ id: 's', source: 'cli' });
    expect(await judgeClock(store, manualClock(NOW + 30 * DAY_MS))).toBe('trusted');
    expect(await judgeClock(store, manualClock(NOW + 3650 * DAY_MS))).toBe('suspect');
    // A session from the future says nothing about the clock.
    expect(await judgeClock(store, manualClock(NOW - DAY_MS))).toBe('trusted');
  });

  it('goes by its runs where every session is gone', async () => {
    const request = { kind: 'policy' } as const;
    await store.journal.begin({ id: 'later', request, startedAt: NOW + 4000 * DAY_MS, expiresAt: NOW });
    await store.journal.begin({ id: 'run', request, startedAt: NOW, expiresAt: NOW });
    expect(await judgeClock(store, manualClock(NOW + 30 * DAY_MS))).toBe('trusted');
    expect(await judgeClock(store, manualClock(NOW + 3650 * DAY_MS))).toBe('suspect');
  });

  it('does not take two times that are years apart for a clock that went on', async () => {
    await recordClock(store, manualClock(NOW));
    for (const years of [10, 20, 30]) {
      await recordClock(store, manualClock(NOW + years * 365 * DAY_MS));
      expect(await judgeClock(store, manualClock(NOW + years * 365 * DAY_MS))).toBe('suspect');
    }
    expect(await judgeClock(store, manualClock(NOW + 30 * 365 * DAY_MS + DAY_MS))).toBe('trusted');
  });

  it('is written down now and then, and not each time', async () => {
    await recordClockNowAndThen(store, manualClock(NOW));
    await recordClockNowAndThen(store, manualClock(NOW + HOUR_MS - 1));
    expect(await store.getMeta('latest-time-seen')).toBe(String(NOW));
    await recordClockNowAndThen(store, manualClock(NOW + HOUR_MS));
    expect(await store.getMeta('latest-time-seen')).toBe(String(NOW + HOUR_MS));
  });

  it.each([
    ['a few seconds back', -4000, 'trusted'],
    ['five minutes back', -5 * MINUTE_MS, 'trusted'],
    ['more than that', -5 * MINUTE_MS - 1, 'suspect'],
    ['a year on', 365 * DAY_MS, 'trusted'],
    ['two years on', 730 * DAY_MS, 'suspect'],
  ])('judges %s', async (_what, byMs, verdict) => {
    await recordClock(store, manualClock(NOW));
    expect(await judgeClock(store, manualClock(NOW + byMs))).toBe(verdict);
  });

  it('believes a clock again that has told consistent times for a day', async () => {
    await recordClock(store, manualClock(NOW));
    const back = NOW - 30 * DAY_MS;
    await recordClock(store, manualClock(back));
    expect(await judgeClock(store, manualClock(back + DAY_MS - 1))).toBe('suspect');
    expect(await judgeClock(store, manualClock(back + DAY_MS))).toBe('trusted');
    await recordClock(store, manualClock(back + DAY_MS));
    expect(await judgeClock(store, manualClock(back + DAY_MS + 1))).toBe('trusted');
    expect(await judgeClock(store, manualClock(NOW))).toBe('trusted');
  });

  it('begins its doubt anew when the clock goes back further', async () => {
    await recordClock(store, manualClock(NOW));
    await recordClock(store, manualClock(NOW - 10 * DAY_MS));
    await recordClock(store, manualClock(NOW - 20 * DAY_MS));
    expect(await judgeClock(store, manualClock(NOW - 19 * DAY_MS))).toBe('trusted');
    expect(await judgeClock(store, manualClock(NOW - 20 * DAY_MS + 1))).toBe('suspect');
  });

  describe('on a machine that counts how long it is on', () => {
    let clock: ReturnType<typeof machineClock>;

    beforeEach(async () => {
      clock = machineClock();
      await recordClock(store, clock);
    });

    it.each([
      ['a minute', MINUTE_MS, 'trusted'],
      ['two days, which machines inside others stand still for', 2 * DAY_MS, 'trusted'],
      ['more than that', 2 * DAY_MS + 1, 'suspect'],
      ['a hundred days', 100 * DAY_MS, 'suspect'],
      ['minutes back', -6 * MINUTE_MS, 'suspect'],
    ])('judges a clock that was set by %s', async (_what, byMs, verdict) => {
      clock.setBy(byMs);
      expect(await judgeClock(store, clock)).toBe(verdict);
      clock.setBy(-byMs);
      expect(await judgeClock(store, clock)).toBe('trusted');
    });

    it('believes it after any time in which the machine was on, asleep or not', async () => {
      clock.advance(1000 * DAY_MS);
      expect(await judgeClock(store, clock)).toBe('trusted');
    });

    it('believes it after a machine was off for months, and goes on from there', async () => {
      clock.off(90 * DAY_MS);
      expect(await recordClock(store, clock)).toBe('trusted');
      clock.setBy(90 * DAY_MS);
      expect(await recordClock(store, clock)).toBe('suspect');
    });

    it('believes one that was set once it has gone on for a day, and a later one no sooner', async () => {
      clock.setBy(100 * DAY_MS);
      expect(await recordClock(store, clock)).toBe('suspect');
      clock.setBy(100 * DAY_MS);
      expect(await recordClock(store, clock)).toBe('suspect');
      clock.advance(DAY_MS - 1);
      expect(await recordClock(store, clock)).toBe('suspect');
      clock.advance(1);
      expect(await recordClock(store, clock)).toBe('trusted');
      clock.setBy(3 * DAY_MS);
      expect(await judgeClock(store, clock)).toBe('suspect');
    });

    it('does not begin its day anew when the machine starts again, so that nothing waits for ever', async () => {
      clock.setBy(100 * DAY_MS);
      await recordClock(store, clock);
      clock.off(3 * DAY_MS);
      expect(await recordClock(store, clock)).toBe('trusted');
    });

    it('says nothing by a count that went back, as that of another container may', async () => {
      const boot = clock.sinceBoot?.()?.boot ?? '';
      const other = { now: () => NOW + 100 * DAY_MS, sinceBoot: () => ({ boot, ms: 0 }) };
      expect(await judgeClock(store, other)).toBe('trusted');
    });

    it('lets jobs come: only one that is years ahead would have them wait', async () => {
      clock.setBy(100 * DAY_MS);
      expect(await isClockAhead(store, clock)).toBe(false);
      clock.setBy(400 * DAY_MS);
      expect(await isClockAhead(store, clock)).toBe(true);
    });

    it('goes by the time alone where an older version wrote it down last', async () => {
      await store.setMeta('latest-time-seen', String(NOW + MINUTE_MS));
      clock.setBy(100 * DAY_MS);
      expect(await judgeClock(store, clock)).toBe('trusted');
    });
  });
});
