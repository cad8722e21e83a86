import type { SessionStore } from '../../core/session-store.ts';
import { DAY_MS, type EpochMs, MINUTE_MS } from '../../core/time.ts';

const LATEST_SEEN = 'latest-time-seen';
const SUSPECT_SINCE = 'clock-suspect-since';
/** Clocks are set by a few seconds all the time; this much backwards is something else. */
const BACKWARDS_MS = 5 * MINUTE_MS;
/** Nobody looked at the home for this long, or the clock jumped: either way a person should look first. */
const FORWARDS_MS = 400 * DAY_MS;
/** A clock that has told consistent times for this long is believed again, whatever was seen before. */
const BELIEVED_AFTER_MS = DAY_MS;

/** Whether ages can be trusted: a clock far from the highest time ever seen is suspect. Reads only. */
export async function judgeClock(store: SessionStore, now: EpochMs): Promise<'trusted' | 'suspect'> {
  const latest = Number((await store.getMeta(LATEST_SEEN)) ?? now);
  if (!isFar(now, latest)) return 'trusted';
  const since = await store.getMeta(SUSPECT_SINCE);
  return since !== undefined && since !== '' && now - Number(since) >= BELIEVED_AFTER_MS ? 'trusted' : 'suspect';
}

/** Remembers the time, and since when it has been in doubt. Called by whatever is about to act on ages. */
export async function recordClock(store: SessionStore, now: EpochMs): Promise<void> {
  if ((await judgeClock(store, now)) === 'trusted') {
    await store.setMeta(LATEST_SEEN, String(now));
    await store.setMeta(SUSPECT_SINCE, '');
    return;
  }
  const since = await store.getMeta(SUSPECT_SINCE);
  const usable = since !== undefined && since !== '' && Number(since) <= now;
  if (!usable) await store.setMeta(SUSPECT_SINCE, String(now));
}

function isFar(now: EpochMs, latest: EpochMs): boolean {
  return now < latest - BACKWARDS_MS || now > latest + FORWARDS_MS;
}
