import { Failure } from '../../core/failure.ts';
import type { SessionReader } from '../../core/stores/session-reader.ts';
import type { HomeMemory, SessionRecords } from '../../core/stores/session-records.ts';
import { type Clock, DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../core/time.ts';
import { forgetSeen, onBetween, readSeen, type Seen, seenNow, writeSeen } from './seen-time.ts';

const LATEST_SEEN = 'latest-time-seen';
const SUSPECT_SINCE = 'clock-suspect-since';
/** Clocks are set by a few seconds all the time; this much backwards is something else. */
const BACKWARDS_MS = 5 * MINUTE_MS;
/** Nobody looked at the home for this long, or the clock jumped: either way a person should look first. */
const FORWARDS_MS = 400 * DAY_MS;
/** So much further than the machine was on in between: it was set. Machines inside others stand still for a night, and are not. */
const SET_MS = 2 * DAY_MS;
/** A clock that has told consistent times for this long is believed again, whatever was seen before. */
const BELIEVED_AFTER_MS = DAY_MS;
/** A home that is written to has seen the time so lately. */
const RECORDED_EVERY_MS = HOUR_MS;

type Verdict = 'trusted' | 'suspect';

/** What is asked of a store for the highest time ever seen, and where it is kept. */
export type ClockRecords = HomeMemory & Pick<SessionReader, 'list'> & Pick<SessionRecords, 'journal'>;

/** Whether ages can be trusted: a clock far from the highest time ever seen, or from what the machine counted, is suspect. Reads only. */
export function judgeClock(store: ClockRecords, clock: Clock): Promise<Verdict> {
  return judge(store, seenNow(clock));
}

/**
 * Whether the clock is in doubt because it is years ahead. What only waits for its time, such as a job, cannot come too early by a
 * clock that was set back, and would wait for a day for nothing; set to a later day of the same year it comes once too early.
 */
export async function isClockAhead(store: ClockRecords, clock: Clock): Promise<boolean> {
  const now = { at: clock.now() };
  if ((await judge(store, now)) === 'trusted') return false;
  return now.at > Number((await store.getMeta(LATEST_SEEN)) ?? Number.NEGATIVE_INFINITY);
}

/** Refuses what somebody asks for because of its age, while ages cannot be trusted. */
export async function refuseDoubtfulClock(store: ClockRecords, clock: Clock): Promise<void> {
  if ((await judgeClock(store, clock)) === 'trusted') return;
  throw new Failure(
    'refused',
    'The clock of this machine is far from the time that this home saw last, so nothing goes by its age.',
    {
      hint: 'Set the clock. If it is right, the home believes it once it has been used for a day.',
    },
  );
}

/** Remembers the time, and since when it has been in doubt; says which. Called by whatever is about to act on ages. */
export async function recordClock(store: ClockRecords, clock: Clock): Promise<Verdict> {
  const now = seenNow(clock);
  const verdict = await judge(store, now);
  if (verdict === 'trusted') {
    await writeSeen(store, LATEST_SEEN, now);
    if ((await readSeen(store, SUSPECT_SINCE)) !== undefined) await forgetSeen(store, SUSPECT_SINCE);
  } else if ((await doubtedSince(store, now)) === undefined) {
    await writeSeen(store, SUSPECT_SINCE, now);
  }
  return verdict;
}

/** The same for those who come often: what was recorded a moment ago is good enough. */
export async function recordClockNowAndThen(store: ClockRecords, clock: Clock): Promise<void> {
  const latest = Number(await store.getMeta(LATEST_SEEN));
  // Without a record it is no number, and then nothing can be said about it.
  if (!(Math.abs(clock.now() - latest) < RECORDED_EVERY_MS)) await recordClock(store, clock);
}

async function judge(store: ClockRecords, now: Seen): Promise<Verdict> {
  const latest = (await readSeen(store, LATEST_SEEN)) ?? { at: await latestUse(store, now.at) };
  if (!isFar(now, latest)) return 'trusted';
  const since = await doubtedSince(store, now);
  return since !== undefined && now.at - since.at >= BELIEVED_AFTER_MS ? 'trusted' : 'suspect';
}

/** Since when the clock has told times that are in doubt and fit together. */
async function doubtedSince(store: ClockRecords, now: Seen): Promise<Seen | undefined> {
  const since = await readSeen(store, SUSPECT_SINCE);
  return since === undefined || isFar(now, since) ? undefined : since;
}

/** A home of which no time was recorded yet was used all the same. What lies ahead of the clock says nothing about it. */
async function latestUse(store: ClockRecords, now: EpochMs): Promise<EpochMs> {
  let latest = await latestActivity(store, now);
  for await (const { startedAt } of store.journal.runs()) {
    if (startedAt > now) continue;
    latest = Math.max(latest, startedAt);
    break;
  }
  return latest === Number.NEGATIVE_INFINITY ? now : latest;
}

/** A database that cannot be read says nothing about the clock. Whoever looks at it says what is wrong, and nothing of it goes. */
async function latestActivity(store: ClockRecords, now: EpochMs): Promise<EpochMs> {
  try {
    for await (const { lastActiveAt } of store.list({ before: now + 1, limit: 1 })) return lastActiveAt;
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'integrity')) throw error;
  }
  return Number.NEGATIVE_INFINITY;
}

/** A machine that was on all the time says how much later it can be. One that was off may have been so for long. */
function isFar(now: Seen, then: Seen): boolean {
  const on = onBetween(then, now);
  const most = on === undefined ? FORWARDS_MS : on + SET_MS;
  return now.at < then.at - BACKWARDS_MS || now.at > then.at + most;
}
