import { type EpochMs, HOUR_MS, MINUTE_MS } from '../core/time.ts';

const BUCKETS = 12;

/** How much came within the last minute or hour, in twelve buckets, the newest first. */
export interface Rate {
  readonly bucketMs: number;
  /** Number of the newest bucket since 1970. */
  readonly newest: number;
  readonly buckets: readonly number[];
}

export const NO_RATE: Rate = emptyRate(MINUTE_MS);
export const NO_HOURLY_RATE: Rate = emptyRate(HOUR_MS);

/** Counts an amount. A clock that went back a little counts in the newest bucket; one that went far back starts anew. */
export function addToRate(rate: Rate, at: EpochMs, amount: number): Rate {
  const { bucketMs, newest, buckets } = movedTo(rate, bucketOf(rate, at));
  return { bucketMs, newest, buckets: buckets.with(0, (buckets[0] ?? 0) + amount) };
}

/** What came within the last eleven to twelve buckets: never more than what came within the minute or hour. */
export function recent(rate: Rate, now: EpochMs): number {
  const steps = bucketOf(rate, now) - rate.newest;
  if (Math.abs(steps) >= BUCKETS) return 0;
  let sum = 0;
  // Asked before every step of an agent, so nothing is copied. Buckets that are too old are at the end.
  for (let index = BUCKETS - 1 - Math.max(0, steps); index >= 0; index -= 1) sum += rate.buckets[index] ?? 0;
  return sum;
}

function movedTo(rate: Rate, bucket: number): Rate {
  const steps = bucket - rate.newest;
  if (Math.abs(steps) >= BUCKETS) return { ...emptyRate(rate.bucketMs * BUCKETS), newest: bucket };
  if (steps <= 0) return rate;
  const empty = NO_RATE.buckets.slice(0, steps);
  return { ...rate, newest: bucket, buckets: [...empty, ...rate.buckets.slice(0, BUCKETS - steps)] };
}

function bucketOf({ bucketMs }: Rate, at: EpochMs): number {
  return Math.floor(at / bucketMs);
}

function emptyRate(windowMs: number): Rate {
  return { bucketMs: windowMs / BUCKETS, newest: 0, buckets: Array.from({ length: BUCKETS }, () => 0) };
}
