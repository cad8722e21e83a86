import type { Clock, EpochMs } from '../core/time.ts';

/** The time of a stretch of work, of which every millisecond is counted once. */
export class WorkTime {
  readonly #clock: Clock;
  /** Up to here it is counted. */
  #countedAt: EpochMs;

  constructor(clock: Clock, workedMs: number) {
    this.#clock = clock;
    this.#countedAt = clock.now() - workedMs;
  }

  /** What nobody has counted. A clock that went back takes nothing away, and counts on from where it is. */
  uncountedMs(): number {
    const now = this.#clock.now();
    this.#countedAt = Math.min(this.#countedAt, now);
    return now - this.#countedAt;
  }

  /** The same, to be counted now. */
  take(): number {
    const ms = this.uncountedMs();
    this.#countedAt += ms;
    return ms;
  }

  /** It was not counted after all. */
  giveBack(ms: number): void {
    this.#countedAt -= ms;
  }
}
