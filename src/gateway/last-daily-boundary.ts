import { DAY_MS, type EpochMs, HOUR_MS } from '../core/time.ts';
import type { ZoneOffset } from './zone-offset.ts';

export interface DailyRule {
  /** The hour of the local day, 0 to 23. */
  readonly atHour: number;
  readonly offsetAt: ZoneOffset;
}

/**
 * The latest instant, not after `now`, at which a local day reached the hour: never two in one day. Where the clocks skip the
 * hour, it is the moment they jump; where they show it twice, it is the first time. A day that ends in the jump has none.
 */
export function lastDailyBoundary(now: EpochMs, { atHour, offsetAt }: DailyRule): EpochMs {
  const today = dayOf(now + offsetAt(now)) * DAY_MS;
  // Clocks that go back over midnight show the day before again, after tomorrow's hour was reached: so tomorrow counts too.
  const boundaries = [1, 0, -1, -2].map((day) => firstInstantOf(today + day * DAY_MS + atHour * HOUR_MS, offsetAt));
  return Math.max(...boundaries.filter((at) => at <= now));
}

/** When clocks first show this wall time or skip it; never if they skip the rest of its day. Wall times are written as UTC. */
function firstInstantOf(wall: number, offsetAt: ZoneOffset): EpochMs {
  const [before, after] = [offsetAt(wall - DAY_MS), offsetAt(wall + DAY_MS)];
  const early = wall - Math.max(before, after);
  const late = wall - Math.min(before, after);
  if (early + offsetAt(early) === wall) return early;
  if (late + offsetAt(late) === wall) return late;
  const jump = jumpBetween(early, late, offsetAt);
  return dayOf(jump + offsetAt(jump)) === dayOf(wall) ? jump : Infinity;
}

/** The instant in (early, late] at which the clocks jump forward. */
function jumpBetween(early: EpochMs, late: EpochMs, offsetAt: ZoneOffset): EpochMs {
  let [low, high] = [early, late];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === offsetAt(early)) low = middle;
    else high = middle;
  }
  return high;
}

/** Local days, counted from 1970. */
function dayOf(wall: number): number {
  return Math.floor(wall / DAY_MS);
}
