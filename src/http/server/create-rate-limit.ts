import { type Clock, SECOND_MS } from '../../core/time.ts';

export interface Rate {
  /** How many may come at once. */
  readonly burst: number;
  readonly perSecond: number;
}

/** More clients than this are not told apart: the one seen longest ago is forgotten. */
const MOST = 1000;

/** Whether a request may go on, and how a client stands. */
export interface RateState {
  readonly allowed: boolean;
  /** Light requests that may come at once now. */
  readonly remaining: number;
  /** How long until this request may come again; 0 when it may go on. */
  readonly waitMs: number;
}

/**
 * A bucket of tokens for each client, filled at a steady rate. Says whether a request of this cost may go on, and takes its
 * tokens if so. A request that costs more than a whole bucket passes when the bucket is full.
 */
export function createRateLimit({ burst, perSecond }: Rate, clock: Clock) {
  const buckets = new Map<string, { left: number; at: number }>();
  return (client: string, cost = 1): RateState => {
    const now = clock.now();
    const bucket = buckets.get(client) ?? { left: burst, at: now };
    // A clock that goes back gives nothing and takes nothing.
    const filled = (Math.max(0, now - bucket.at) * perSecond) / SECOND_MS;
    bucket.left = Math.min(burst, bucket.left + filled);
    bucket.at = now;
    if (!buckets.has(client) && buckets.size >= MOST) forgetOldest(buckets);
    buckets.set(client, bucket);
    const missing = Math.min(cost, burst) - bucket.left;
    if (missing <= 0) bucket.left -= cost;
    const waitMs = missing <= 0 ? 0 : Math.ceil((missing / perSecond) * SECOND_MS);
    return { allowed: missing <= 0, remaining: Math.max(0, Math.floor(bucket.left)), waitMs };
  };
}

function forgetOldest(buckets: Map<string, unknown>): void {
  const [oldest] = buckets.keys();
  if (oldest !== undefined) buckets.delete(oldest);
}
