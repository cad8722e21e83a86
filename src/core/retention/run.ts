import type { EpochMs } from '../time.ts';
import type { CheckpointRestoreRequest } from './checkpoint.ts';
import type { ItemRef, PlanRequest, RemoveAction, RemoveReason } from './plan.ts';

/** One application of a plan, or one restore of a checkpoint. Its items can be given back until `expiresAt`. */
export interface Run {
  readonly id: string;
  readonly request: RunRequest;
  readonly startedAt: EpochMs;
  /** Absent while it runs, or when it was cut short. */
  readonly finishedAt?: EpochMs;
  readonly expiresAt: EpochMs;
}

export type RunRequest = PlanRequest | CheckpointRestoreRequest;

/** `take-back` is what a restore does to the files of a working directory and to a conversation. */
export type RunAction = RemoveAction | 'take-back';

/** What a run is about: an item of an inventory, a working directory by its path, or a conversation by its session's id. */
export type RunItemRef = ItemRef | { readonly kind: 'worktree' | 'conversation'; readonly id: string };

/**
 * How far an item of a run has come. `intended` and `undoing` are promises that a crash may have left half kept: carrying them
 * out again finishes them. `archived` items can be given back for as long as the archive has them. `skipped` items were never
 * touched.
 */
export type RunItemState =
  | 'intended'
  | 'trashed'
  | 'archived'
  | 'skipped'
  | 'undoing'
  | 'restored'
  | 'purging'
  | 'purged';

export interface RunItem {
  /** Its number in the run, from 1. */
  readonly number: number;
  readonly item: RunItemRef;
  readonly action: RunAction;
  readonly reason: RemoveReason;
  readonly fingerprint: string;
  readonly sizeBytes: number;
  readonly skipsTrash: boolean;
  readonly state: RunItemState;
  /** Why it was skipped, in a sentence. */
  readonly detail?: string;
  /** The title of a session that is still at hand, in the trash or not. */
  readonly title?: string;
}

/** What became of one item. */
export type ItemOutcome =
  | {
      readonly number: number;
      readonly status: 'done';
      /** What files that are gone for good took on the disk, less what an archive takes; rows are counted when pages are given back. */
      readonly freedBytes?: number;
    }
  /** Left as it is, with the sentence that says why. */
  | { readonly number: number; readonly status: 'skipped'; readonly detail: string }
  /** Begun and stuck: it stays intended, and the next recovery goes on with it. */
  | { readonly number: number; readonly status: 'unfinished'; readonly detail: string };

/** What a person is told about one item as a run goes on. */
export interface Outcome {
  readonly item: RunItemRef;
  readonly action: RunAction | 'restore';
  readonly status: 'done' | 'skipped';
  readonly detail?: string;
  readonly sizeBytes: number;
  /** What its files gave back to the disk at once. What waits in the trash gives nothing back yet. */
  readonly freedBytes?: number;
  /** It skipped the trash, or left it early: nothing brings it back. */
  readonly forGood?: true;
}

/** The record of runs. Every method is durable when its promise resolves; nothing is touched before its intent is recorded. */
export interface Journal {
  begin(run: Omit<Run, 'finishedAt'>): Promise<void>;
  /** Adds items to a run in the state `intended`. */
  intend(runId: string, items: readonly Omit<RunItem, 'state'>[]): Promise<void>;
  /** Moves items of a run to a state. */
  mark(runId: string, marks: readonly { number: number; state: RunItemState; detail?: string }[]): Promise<void>;
  finish(runId: string, at: EpochMs): Promise<void>;
  /** Runs that were cut short, or that have items whose step was. */
  unfinished(): Promise<readonly string[]>;
  /** Newest first. */
  runs(): AsyncIterable<Run>;
  run(id: string): Promise<Run | undefined>;
  /** Runs that have something in the trash, or that a purge was not done with, the first to expire first. */
  inTrash(): Promise<readonly Run[]>;
  items(runId: string, states?: readonly RunItemState[]): AsyncIterable<RunItem>;
  /**
   * Forgets finished runs that have nothing left to give back, if they began before a time or are not among so many newest runs.
   * Returns how many. A run with anything in the trash or the archive is never forgotten.
   */
  forget(rule: { readonly before: EpochMs; readonly newest: number }): Promise<number>;
  /** Takes what people asked for by words of these sessions, such as their titles, out of the records of all runs that were about them. */
  forgetWords(ids: readonly string[]): Promise<void>;
  /** Items and bytes of a run by state. */
  totals(runId: string): Promise<Readonly<Partial<Record<RunItemState, { items: number; sizeBytes: number }>>>>;
}
