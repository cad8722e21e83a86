import { type EpochMs, HOUR_MS } from '../core/time.ts';
import { lastDailyBoundary } from './last-daily-boundary.ts';
import type { ZoneOffset } from './zone-offset.ts';

/** When the next local day begins. Days have 23 to 25 hours where clocks are moved, so it is looked for hour by hour. */
export function nextDay(now: EpochMs, offsetAt: ZoneOffset): EpochMs {
  const rule = { atHour: 0, offsetAt };
  let boundary = now;
  for (let at = now + HOUR_MS; boundary <= now; at += HOUR_MS) boundary = lastDailyBoundary(at, rule);
  return boundary;
}
