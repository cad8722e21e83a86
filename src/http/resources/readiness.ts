import { setTimeout } from 'node:timers/promises';
import { freeDiskBytes } from '../../app/free-disk.ts';
import type { Home } from '../../app/home.ts';
import { type Clock, type EpochMs, SECOND_MS } from '../../core/time.ts';

/** How one thing that is done by the clock goes. */
export interface ChoreHealth {
  readonly name: string;
  readonly everyMs: number;
  /** When it last went well; the start of the daemon before the first time. */
  readonly doneAt: EpochMs;
  /** What the last try ended with, where it went wrong. */
  readonly trouble?: string;
}

/** What a daemon must be able to do to be of use. */
export interface Readiness {
  readonly home: boolean;
  readonly store: boolean;
  readonly chores: boolean;
}

/** A chore that did not go well for so many of its periods is not being done. */
const LATE_PERIODS = 6;
/** Anybody may ask without a token, so nobody makes the disk work more often than this. */
const LOOK_MS = SECOND_MS;
/** Whoever asks gives up soon, also where another process keeps the write lock. */
const PROOF_MS = 5 * SECOND_MS;
/** With less than this the next message may be the one that does not fit. */
const LEAST_FREE_BYTES = 1024 * 1024;

export interface ReadinessParts {
  readonly home: Pick<Home, 'isOpen' | 'path' | 'proveWritable'>;
  readonly clock: Clock;
  readonly chores: () => readonly ChoreHealth[];
}

/** Looks whether the home can be read and written, and whether what runs by the clock does. */
export function createReadiness({ home, clock, chores }: ReadinessParts): () => Promise<Readiness> {
  let writable: Promise<boolean> | undefined;
  let lookedAt = 0;
  const isWritable = (): Promise<boolean> => {
    const now = performance.now();
    if (writable === undefined || now - lookedAt >= LOOK_MS) {
      lookedAt = now;
      writable = canWrite(home);
    }
    return writable;
  };
  return async () => {
    const late = chores().some((chore) => isLate(chore, clock.now()));
    return { home: home.isOpen, store: home.isOpen && (await isWritable()), chores: !late };
  };
}

export function isLate({ everyMs, doneAt }: ChoreHealth, now: EpochMs): boolean {
  return now - doneAt > LATE_PERIODS * everyMs;
}

async function canWrite(home: ReadinessParts['home']): Promise<boolean> {
  try {
    const proof = home.proveWritable().then(() => true);
    const late = setTimeout(PROOF_MS, false, { ref: false });
    return (await Promise.race([proof, late])) && freeDiskBytes(home.path) >= LEAST_FREE_BYTES;
  } catch {
    // Why is in the log already: whatever else the daemon writes fails in the same way.
    return false;
  }
}
