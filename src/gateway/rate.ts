import type { EpochMs } from '../core/time.ts';

const BUCKET_MS = 5000;
const BUCKETS = 12;

/** How much came within the last minute, in twelve buckets of five seconds, the newest first. */
export interface Rate {
  /** Number of the newest bucket since 1970. */
  readonly newest: number;
  readonly buckets: readonly number[];
}

export const NO_RATE: Rate = { newest: 0, buckets: Array.from({ length: BUCKETS }, () => 0) };

/** Counts an amount. A clock that went back a little counts in the newest bucket; one that went far back starts anew. */
export function addToRate(rate: Rate, at: EpochMs, amount: number): Rate {
  const { newest, buckets } = movedTo(rate, bucketOf(at));
  return { newest, buckets: buckets.with(0, (buckets[0] ?? 0) + amount) };
}

/** What came within the last 55 to 60 seconds: never more than what came within a minute. */
export function perMinute(rate: Rate, now: EpochMs): number {
  const steps = bucketOf(now) - rate.newest;
  if (Math.abs(steps) >= BUCKETS) return 0;
  let sum = 0;
  // Asked before every step of an agent, so nothing is copied. Buckets that are older than a minute are at the end.
  for (let index = BUCKETS - 1 - Math.max(0, steps); index >= 0; index -= 1) sum += rate.buckets[index] ?? 0;
  return sum;
}

function movedTo(rate: Rate, bucket: number): Rate {
  const steps = bucket - rate.newest;
  if (Math.abs(steps) >= BUCKETS) return { ...NO_RATE, newest: bucket };
  if (steps <= 0) return rate;
  const empty = NO_RATE.buckets.slice(0, steps);
  return { newest: bucket, buckets: [...empty, ...rate.buckets.slice(0, BUCKETS - steps)] };
}

function bucketOf(at: EpochMs): number {
  return Math.floor(at / BUCKET_MS);
}
