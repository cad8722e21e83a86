import type { HomeRef, Item } from './inventory.ts';
import type { EpochMs } from './time.ts';

/** The fate of every item of an inventory, with reasons. Plain JSON: it can be saved, read, sent and applied later. */
export interface Plan {
  readonly home: HomeRef;
  readonly madeAt: EpochMs;
  /** What was asked for, in words, for the record of the run. */
  readonly request: PlanRequest;
  /** In the order in which to carry them out: what frees space without needing any comes first, then the oldest. */
  readonly decisions: readonly Decision[];
  /** Sentences a person should read first, such as a filter without an age. */
  readonly notes: readonly string[];
  /** One for each size limit whose low-water mark stays out of reach; empty when all are met. */
  readonly shortfalls: readonly Shortfall[];
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
  | { readonly kind: 'archive'; readonly filter: SessionFilter; readonly before?: EpochMs }
  | CheckpointsRequest
  /** Every checkpoint that nothing holds. */
  | { readonly kind: 'clear-checkpoints' }
  /** Checkpoints in layouts of before, which nothing reads any more. */
  | { readonly kind: 'clear-legacy' };

/** The rules for checkpoints alone, with limits that replace those of the policy where they are given. */
export interface CheckpointsRequest {
  readonly kind: 'checkpoints';
  readonly retentionMs?: number;
  readonly maxSnapshots?: number;
  readonly maxBytes?: number;
  /** Checkpoints of folders that are gone stay. Only a person may let go of them. */
  readonly keepOrphans: boolean;
}

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
  /** All bytes of the item, or only those of the files that a drop takes. */
  readonly sizeBytes: number;
} & (
  | { readonly action: 'keep'; readonly reason: KeepReason }
  | {
      readonly action: RemoveAction;
      readonly reason: RemoveReason;
      readonly fingerprint: string;
      /** Set where space is short: its bytes are freed in the same run, so it does not wait in the trash. */
      readonly skipsTrash?: true;
    }
);

export type Removal = Extract<Decision, { readonly action: RemoveAction }>;

export function isRemoval(decision: Decision): decision is Removal {
  return decision.action !== 'keep';
}

/** Whether its bytes are free when the run ends, and no undo brings it back. */
export function goesForGood(decision: Decision): boolean {
  return decision.action === 'purge' || (isRemoval(decision) && decision.skipsTrash === true);
}

export interface ItemRef {
  readonly kind: Item['kind'];
  readonly id: string;
}

/**
 * `remove` takes all of an item into the trash, `archive` into a bundle. `drop-files` takes transcript and request dumps,
 * `drop-dumps` the dumps alone; rows and messages stay. `purge` is for trash and debris: they are gone for good.
 */
export type RemoveAction = 'remove' | 'archive' | 'drop-files' | 'drop-dumps' | 'purge';

/** Holds are absolute; `tagged` and `keep-last` are rules; the last three say that nothing lets go of the item. */
export type KeepReason =
  | 'active'
  | 'pinned'
  | 'lineage-active'
  | 'lineage-pinned'
  /** Another session of the same conversation stays for a reason of its own. */
  | 'lineage-kept'
  | 'future'
  | 'unreadable'
  | 'open'
  | 'young'
  | 'doubt'
  | 'tagged'
  | 'keep-last'
  /** A restore that can still be undone needs it. */
  | 'needed'
  /** Its folder cannot be reached now, which does not say that it is gone. */
  | 'unreachable'
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
  | 'max-snapshots'
  /** Its folder was removed. */
  | 'gone'
  | 'orphan'
  | 'debris'
  | 'dump-age'
  | 'trash-expired'
  | 'pressure';

export interface Shortfall {
  /** The source whose limit is out of reach; absent for the limits of the whole home. */
  readonly source?: string;
  /** The limit is the one for checkpoints. */
  readonly of?: 'checkpoints';
  /** How many bytes more would have to go. */
  readonly bytes: number;
  /** What stands in the way, by reason. */
  readonly heldBytes: Readonly<Partial<Record<KeepReason, number>>>;
}

/** Why an item meets its fate: every rule that was asked, in order. */
export interface Explanation {
  readonly decision: Decision;
  readonly checks: readonly RuleCheck[];
  /** All sessions of the conversation, when there are several: they share one fate. */
  readonly lineage: readonly ItemRef[];
}

export interface RuleCheck {
  readonly rule: KeepReason | RemoveReason;
  /** The rule speaks about this item. The first one that does, and that nothing stops, decides. */
  readonly met: boolean;
  /** The age at which the rule applies; absent for rules that are not about age or are switched off. */
  readonly limitMs?: number;
  /** Switched off: it says nothing about anything. */
  readonly off?: true;
  /** What stops the rule although it is met. */
  readonly stoppedBy?: 'keep-last' | 'doubt';
}

/** Whether an unattended run may carry out a plan. */
export type GuardVerdict =
  | { readonly status: 'ok' }
  | { readonly status: 'refused'; readonly reasons: readonly GuardReason[] };

export type GuardReason =
  | { readonly kind: 'first-run'; readonly count: number }
  | { readonly kind: 'too-many'; readonly of: 'sessions' | 'items'; readonly count: number; readonly limit: number }
  | { readonly kind: 'empties-group'; readonly source: string; readonly workdir?: string }
  /** So many items go that the rules in force before would have kept. */
  | { readonly kind: 'stricter-policy'; readonly count: number };
