import type { Clock, EpochMs } from '../core/time.ts';

/**
 * One thing that must be so, for any test runner: give it a place that is empty, and it is so when the promise resolves. What is not so is
 * thrown, as an assertion or a sentence.
 */
export interface KitCase<Place> {
  readonly name: string;
  readonly run: (place: Place) => Promise<void>;
}

/** A clock that stands still until somebody moves it, backwards too. */
export interface KitClock extends Clock {
  set(at: EpochMs): void;
  advance(byMs: number): void;
}

/** The instant at which every case begins, unless another is given: 2026-01-15T12:00:00Z. */
export const KIT_NOW: EpochMs = Date.UTC(2026, 0, 15, 12);

export function kitClock(start: EpochMs = KIT_NOW): KitClock {
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
