import { Failure } from '../../core/failure.ts';
import type { SessionStore } from '../../core/session-store.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../core/time.ts';

const LATEST_SEEN = 'latest-time-seen';
const SUSPECT_SINCE = 'clock-suspect-since';
/** Clocks are set by a few seconds all the time; this much backwards is something else. */
const BACKWARDS_MS = 5 * MINUTE_MS;
/** Nobody looked at the home for this long, or the clock jumped: either way a person should look first. */
const FORWARDS_MS = 400 * DAY_MS;
/** A clock that has told consistent times for this long is believed again, whatever was seen before. */
const BELIEVED_AFTER_MS = DAY_MS;
/** A home that is written to has seen the time so lately. */
const RECORDED_EVERY_MS = HOUR_MS;

/** Whether ages can be trusted: a clock far from the highest time ever seen is suspect. Reads only. */
export async function judgeClock(store: SessionStore, now: EpochMs): Promise<'trusted' | 'suspect'> {
  const seen = await store.getMeta(LATEST_SEEN);
  const latest = seen === undefined ? await latestUse(store, now) : Number(seen);
  if (!isFar(now, latest)) return 'trusted';
  const since = await doubtedSince(store, now);
  return since !== undefined && now - since >= BELIEVED_AFTER_MS ? 'trusted' : 'suspect';
}

/**
 * Whether the clock is in doubt because it is far ahead. What only waits for its time, such as a job, cannot come too early by a
 * clock that was set back, and would wait for a day for nothing.
 */
export async function isClockAhead(store: SessionStore, now: EpochMs): Promise<boolean> {
  if ((await judgeClock(store, now)) === 'trusted') return false;
  return now > Number((await store.getMeta(LATEST_SEEN)) ?? Number.NEGATIVE_INFINITY);
}

/** Refuses what somebody asks for because of its age, while ages cannot be trusted. */
export async function refuseDoubtfulClock(store: SessionStore, now: EpochMs): Promise<void> {
  if ((await judgeClock(store, now)) === 'trusted') return;
  throw new Failure(
    'refused',
    'The clock of this machine is far from the time that this home saw last, so nothing goes by its age.',
    {
      hint: 'Set the clock. If it is right, the home believes it once it has been used for a day.',
    },
  );
}

/** Remembers the time, and since when it has been in doubt; says which. Called by whatever is about to act on ages. */
export async function recordClock(store: SessionStore, now: EpochMs): Promise<'trusted' | 'suspect'> {
  const trusted = (await judgeClock(store, now)) === 'trusted';
  if (trusted) await store.setMeta(LATEST_SEEN, String(now));
  if (trusted && ((await store.getMeta(SUSPECT_SINCE)) ?? '') !== '') await store.setMeta(SUSPECT_SINCE, '');
  if (!trusted && (await doubtedSince(store, now)) === undefined) await store.setMeta(SUSPECT_SINCE, String(now));
  return trusted ? 'trusted' : 'suspect';
}

/** The same for those who come often: what was recorded a moment ago is good enough. */
export async function recordClockNowAndThen(store: SessionStore, now: EpochMs): Promise<void> {
  const latest = Number(await store.getMeta(LATEST_SEEN));
  // Without a record it is no number, and then nothing can be said about it.
  if (!(Math.abs(now - latest) < RECORDED_EVERY_MS)) await recordClock(store, now);
}

/** Since when the clock has told times that are in doubt and fit together. */
async function doubtedSince(store: SessionStore, now: EpochMs): Promise<EpochMs | undefined> {
  const since = await store.getMeta(SUSPECT_SINCE);
  return since === undefined || since === '' || isFar(now, Number(since)) ? undefined : Number(since);
}

/** A home of which no time was recorded yet was used all the same. What lies ahead of the clock says nothing about it. */
async function latestUse(store: SessionStore, now: EpochMs): Promise<EpochMs> {
  let latest = await latestActivity(store, now);
  for await (const { startedAt } of store.journal.runs()) {
    if (startedAt > now) continue;
    latest = Math.max(latest, startedAt);
    break;
  }
  return latest === Number.NEGATIVE_INFINITY ? now : latest;
}

/** A database that cannot be read says nothing about the clock. Whoever looks at it says what is wrong, and nothing of it goes. */
async function latestActivity(store: SessionStore, now: EpochMs): Promise<EpochMs> {
  try {
    for await (const { lastActiveAt } of store.list({ before: now + 1, limit: 1 })) return lastActiveAt;
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'integrity')) throw error;
  }
  return Number.NEGATIVE_INFINITY;
}

function isFar(now: EpochMs, latest: EpochMs): boolean {
  return now < latest - BACKWARDS_MS || now > latest + FORWARDS_MS;
}
