import type { Clock, EpochMs } from '../../src/core/time.ts';

/** The instant at which every test happens: 2026-01-15T12:00:00Z. */
export const NOW: EpochMs = Date.UTC(2026, 0, 15, 12);

/** A clock that stands still until a test moves it, backwards too. */
export interface ManualClock extends Clock {
  set(at: EpochMs): void;
  advance(byMs: number): void;
}

export function manualClock(start: EpochMs = NOW): ManualClock {
  let at = start;
  return {
    now: () => at,
    set: (to) => {
      at = to;
    },
    advance: (byMs) => {
      at += byMs;
    },
  };
}
