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
  return movedTo(rate, bucketOf(now)).buckets.reduce((sum, amount) => sum + amount, 0);
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
