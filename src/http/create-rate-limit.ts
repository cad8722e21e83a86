import { type Clock, SECOND_MS } from '../core/time.ts';

export interface Rate {
  /** How many may come at once. */
  readonly burst: number;
  readonly perSecond: number;
}

/** More clients than this are not told apart: the one seen longest ago is forgotten. */
const MOST = 1000;

/**
 * A bucket of tokens for each client, filled at a steady rate. Returns whether a request of this cost may go on, and takes its
 * tokens if so. A request that costs more than a whole bucket passes when the bucket is full.
 */
export function createRateLimit({ burst, perSecond }: Rate, clock: Clock) {
  const buckets = new Map<string, { left: number; at: number }>();
  return (client: string, cost = 1): boolean => {
    const now = clock.now();
    const bucket = buckets.get(client) ?? { left: burst, at: now };
    // A clock that goes back gives nothing and takes nothing.
    const filled = (Math.max(0, now - bucket.at) * perSecond) / SECOND_MS;
    bucket.left = Math.min(burst, bucket.left + filled);
    bucket.at = now;
    if (!buckets.has(client) && buckets.size >= MOST) forgetOldest(buckets);
    buckets.set(client, bucket);
    if (bucket.left < Math.min(cost, burst)) return false;
    bucket.left -= cost;
    return true;
  };
}

function forgetOldest(buckets: Map<string, unknown>): void {
  const [oldest] = buckets.keys();
  if (oldest !== undefined) buckets.delete(oldest);
}
