import type { Problem } from '../problem.ts';
import type { EpochMs } from '../time.ts';

/**
 * The part of a store that puts right what can be worked out again from the messages. It removes nothing that anybody can
 * still see, and each step may be asked for again.
 */
export interface StoreRepair {
  /** Deletes what is left of sessions whose removal an earlier version began. Nobody sees them any more. */
  removals(): Promise<void>;
  /** Makes the transcript of a session hold what the store believes it holds. Returns what was found and mended. */
  transcript(id: string): Promise<readonly Problem[]>;
  /** What is wrong with the pages of the database, as SQLite says it; usually nothing. Changes nothing. */
  damage(): Promise<string | undefined>;
  /** Counts the messages of every session whose counts are wrong. Returns how many sessions those were. */
  counts(): Promise<number>;
  /** Builds a search index anew, by the name that a check gave it. */
  index(name: string): Promise<void>;
  /** Forgets holders that gave no sign since they were read, with their claims. */
  forget(holders: readonly { readonly id: string; readonly heartbeatAt: EpochMs }[]): Promise<void>;
}
