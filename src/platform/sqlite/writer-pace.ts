import { wait } from '../machine/wait.ts';

/** Keeps the steps of a writer short and leaves room between them. */
export interface WriterPace {
  /** Waits until it is time for the next step. */
  rest(): Promise<void>;
  /** Told for how long a step held the lock, and what it dealt with. */
  worked(held: Held, work: readonly Work[]): void;
  hasTimeFor(work: readonly Work[]): boolean;
}

/** Rows that a step deals with: how many, and what they hold. */
export interface Work {
  readonly count: number;
  readonly sizeBytes: number;
}

/** A step with the lock held: how long on the clock, and how much of that this process was at work. */
export interface Held {
  readonly ms: number;
  readonly cpuMs: number;
}

/**
 * Other programs look for the lock every few milliseconds at first and every 100 later. While one writes too, the lock is left free for
 * as long as it was held, so that it is found free soon; otherwise for a moment. `version` changes when somebody else wrote.
 */
export function createPace(version: () => number): WriterPace {
  let owedMs = 0;
  let lastVersion = version();
  let politeUntil = 0;
  let msPerByte = FIRST_MS_PER_BYTE;
  return {
    async rest() {
      // No timer is shorter than this, and many steps are.
      if (owedMs < 1) return;
      await wait(owedMs);
      owedMs = 0;
    },
    worked({ ms, cpuMs }, work) {
      const now = version();
      if (now !== lastVersion) politeUntil = performance.now() + POLITE_MS;
      lastVersion = now;
      owedMs += performance.now() < politeUntil ? ms : ms / 10;
      const bytes = weightOf(work);
      if (bytes < LEARNING_BYTES) return;
      // On the clock it would learn from disks and busy machines that less is quicker, and do the same in ever more steps.
      // A single step says little: the index tidies itself up now and then.
      const measured = Math.min(cpuMs / bytes, 4 * msPerByte);
      msPerByte = 0.8 * msPerByte + 0.2 * measured;
    },
    hasTimeFor(work) {
      const bytes = weightOf(work);
      return bytes <= SMALL_BYTES || bytes * Math.max(msPerByte, LEAST_MS_PER_BYTE) <= STEP_MS;
    },
  };
}

const POLITE_MS = 2000;
/** A fifth of the 100 ms for which nobody may hold the lock: a machine that is busy takes longer than it took before. */
const STEP_MS = 20;
const FIRST_MS_PER_BYTE = 0.0003;
/** However fast it went before, a step has a bound. */
const LEAST_MS_PER_BYTE = 0.00004;
/** There is always time for so much: every step has a price of its own. */
const SMALL_BYTES = 40_000;
const ROW_BYTES = 500;
const LEARNING_BYTES = 2000;

/** What a row costs grows with its text, which indexes hold too, and a little with each row. */
function weightOf(work: readonly Work[]): number {
  return work.reduce((sum, { count, sizeBytes }) => sum + sizeBytes + count * ROW_BYTES, 0);
}
