import type { Clock, EpochMs } from '../../src/core/time.ts';

/** The instant at which every test happens: 2026-01-15T12:00:00Z. */
export const NOW: EpochMs = Date.UTC(2026, 0, 15, 12);

/** A clock that stands still until a test moves it, backwards too. */
export interface ManualClock extends Clock {
  set(at: EpochMs): void;
  advance(byMs: number): void;
}

/** A clock of a machine that counts how long it has been on, whatever somebody sets the time to. */
export interface MachineClock extends ManualClock {
  /** As `date -s` does it. */
  setBy(byMs: number): void;
  /** The machine is off for so long, and starts again. */
  off(forMs: number): void;
}

/** How long the machine of such a clock has been on at first. */
const ON_MS = 3_600_000;

export function machineClock(start: EpochMs = NOW): MachineClock {
  const clock = manualClock(start);
  let [boot, bootedAt] = [1, start - ON_MS];
  return {
    ...clock,
    sinceBoot: () => ({ boot: `machine ${boot}`, ms: clock.now() - bootedAt }),
    setBy: (byMs) => {
      clock.advance(byMs);
      bootedAt += byMs;
    },
    off: (forMs) => {
      clock.advance(forMs);
      [boot, bootedAt] = [boot + 1, clock.now()];
    },
  };
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
