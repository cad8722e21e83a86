import type { HomeRef, Item } from './inventory.ts';
import type { EpochMs } from './time.ts';

/** The fate of every item of an inventory, with reasons. Plain JSON: it can be saved, read, sent and applied later. */
export interface Plan {
  readonly home: HomeRef;
  readonly madeAt: EpochMs;
  /** What was asked for, in words, for the record of the run. */
  readonly request: PlanRequest;
  readonly decisions: readonly Decision[];
  /** Sentences a person should read first, such as a filter without an age. */
  readonly notes: readonly string[];
  /** Bytes above the low-water mark that holds and floors do not let go; absent when the mark is reached. */
  readonly shortfall?: Shortfall;
}

/**
 * What a plan is for. `policy` applies all rules. The others are what a person asks for by hand: each names its own sessions or
 * limits, and holds bind all the same.
 */
export type PlanRequest =
  | { readonly kind: 'policy' }
  | { readonly kind: 'delete'; readonly ids: readonly string[] }
  | {
      readonly kind: 'prune';
      readonly filter: SessionFilter;
      /** Last active before this; absent means that no age was given. */
      readonly before?: EpochMs;
      readonly part: 'all' | 'files';
    }
  | {
      readonly kind: 'gc';
      readonly filter: SessionFilter;
      readonly emptyMs: number;
      readonly trivialMs: number;
      readonly trivialMaxMessages: number;
    }
  | { readonly kind: 'archive'; readonly filter: SessionFilter; readonly before?: EpochMs };

export interface SessionFilter {
  readonly source?: string;
  readonly maxMessages?: number;
  /** Part of the title, whatever the case. */
  readonly title?: string;
  readonly workdir?: string;
  readonly model?: string;
  readonly endedBy?: string;
}

/** One fate. `keep` says why too. */
export type Decision = {
  readonly item: ItemRef;
  readonly sizeBytes: number;
} & (
  | { readonly action: 'keep'; readonly reason: KeepReason }
  | {
      readonly action: 'remove' | 'archive' | 'drop-files' | 'purge';
      readonly reason: RemoveReason;
      readonly fingerprint: string;
    }
);

export interface ItemRef {
  readonly kind: Item['kind'];
  readonly id: string;
}

/** Holds are absolute; keeps are rules; the last three say that no rule applies. */
export type KeepReason =
  | 'active'
  | 'pinned'
  | 'lineage-pinned'
  | 'lineage-active'
  | 'young'
  | 'future'
  | 'unreadable'
  | 'doubt'
  | 'needed-by-child'
  | 'open'
  | 'tagged'
  | 'keep-last'
  | 'in-grace'
  | 'not-selected'
  | 'not-expired';

export type RemoveReason =
  | 'named'
  | 'selected'
  | 'retention'
  | 'transcript-retention'
  | 'archive-age'
  | 'archive-retention'
  | 'empty'
  | 'trivial'
  | 'max-sessions'
  | 'orphan'
  | 'debris'
  | 'dump-age'
  | 'trash-expired'
  | 'pressure';

export interface Shortfall {
  readonly bytes: number;
  /** What stands in the way, by reason. */
  readonly heldBytes: Readonly<Partial<Record<KeepReason, number>>>;
}
