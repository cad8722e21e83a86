import { KIT_NOW as NOW, type KitClock as ManualClock, kitClock as manualClock } from '../../src/kit/kit-case.ts';
import type { EpochMs } from '../../src/core/time.ts';

export { type ManualClock, manualClock, NOW };

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
