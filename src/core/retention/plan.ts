import type { Use } from '../sessions/in-use.ts';
import type { SessionFilter } from '../sessions/session-filters.ts';
import type { SessionHold } from '../sessions/session-hold.ts';
import type { EpochMs } from '../time.ts';
import type { HomeRef, Item } from './inventory.ts';

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
  /** It was made while something in the configuration was wrong, so it may say more than the rules that were meant. Never applied. */
  readonly onlyShown?: true;
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
      /** Last active, or closed by a rule, before this; absent means that no age was given. */
      readonly before?: EpochMs;
      /** Not before this. A filter, and no age that goes before the least age. */
      readonly after?: EpochMs;
      readonly part: 'all' | 'files';
    }
  | GcRequest
  | {
      readonly kind: 'archive';
      readonly filter: SessionFilter;
      readonly before?: EpochMs;
      readonly after?: EpochMs;
    }
  | CheckpointsRequest
  | ClearCheckpointsRequest
  /** Checkpoints in layouts of before, which nothing reads any more. */
  | { readonly kind: 'clear-legacy' }
  /** What the agent of a home put aside before this time and has no bound for: copies of its database, snapshots, logs. */
  | { readonly kind: 'clear-copies'; readonly before: EpochMs };

/** Sessions in which nothing, or little, was said. A limit that is absent is as configured, source by source. */
export interface GcRequest {
  readonly kind: 'gc';
  readonly filter: SessionFilter;
  /** Zero switches the rule off. */
  readonly emptyMs?: number;
  readonly trivialMs?: number;
  readonly trivialMaxMessages?: number;
}

/** The rules for checkpoints alone, with limits that replace those of the policy where they are given. */
export interface CheckpointsRequest {
  readonly kind: 'checkpoints';
  readonly retentionMs?: number;
  readonly maxSnapshots?: number;
  readonly maxBytes?: number;
  /** Checkpoints of folders that are gone stay. */
  readonly keepOrphans: boolean;
  /** Nobody looks at the plan: a folder is gone only once two passes a day apart have seen it. */
  readonly unattended?: true;
}

/** Every checkpoint that nothing holds; or, of folders whose place is not known, those that a person says are gone. */
export interface ClearCheckpointsRequest {
  readonly kind: 'clear-checkpoints';
  /** A person says that this folder is gone: its checkpoints, and those of all folders below it. */
  readonly gone?: string;
  /** A person says that all folders whose place is not known are gone. */
  readonly unreachable?: true;
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
      /** FOR GOOD: space is so short that it does not wait in the trash. Only where that is agreed to; else it does. */
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

/** FOR GOOD: whether it loses a way back that it should have had, which a person must agree to apart. */
export function needsConsent(decision: Decision): boolean {
  return isRemoval(decision) && losesWayBack(decision);
}

/** The same of something that goes or went, however it is written down. */
export function losesWayBack({
  action,
  reason,
  skipsTrash = false,
}: {
  readonly action: string;
  readonly reason: RemoveReason;
  readonly skipsTrash?: boolean;
}): boolean {
  return action === 'purge' ? EARLY.has(reason) : skipsTrash;
}

/** Reasons for which trash is emptied before its time to undo is over. */
const EARLY: ReadonlySet<RemoveReason> = new Set(['pressure', 'trash-size']);

/** The same plan with a way back for everything: what would have skipped the trash goes there, and trash in its grace stays. */
export function withWayBack(plan: Plan): Plan {
  const decisions = plan.decisions.flatMap((decision): readonly Decision[] => {
    if (!needsConsent(decision)) return [decision];
    if (!isRemoval(decision) || decision.action === 'purge') return [];
    const { skipsTrash: _, ...kept } = decision;
    return [kept];
  });
  return { ...plan, decisions };
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
  | Use
  | SessionHold['kind']
  | 'pinned'
  | 'lineage-active'
  | 'lineage-pinned'
  /** Another session of the same conversation stays for a reason of its own. */
  | 'lineage-kept'
  | 'future'
  | 'unreadable'
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
  /** Its conversation was started afresh, and the settings say what becomes of the old one. */
  | 'after-reset'
  | 'transcript-after-reset'
  | 'max-snapshots'
  /** Its folder was removed. */
  | 'gone'
  /** A person said that its folder is gone. */
  | 'said-gone'
  /** The last of a folder that nobody took one of for long. */
  | 'stale'
  /** The last of the folder that was used least recently, where space is short. */
  | 'least-used'
  | 'orphan'
  | 'debris'
  | 'dump-age'
  | 'trash-expired'
  /** The trash takes more than it may. */
  | 'trash-size'
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

/** Why something that the rules let go of waits in an unattended run. */
export type GuardReason =
  | { readonly kind: 'first-run'; readonly count: number }
  | { readonly kind: 'too-many'; readonly of: 'sessions' | 'items'; readonly count: number; readonly limit: number }
  | { readonly kind: 'empties-group'; readonly source: string; readonly workdir?: string }
  /** So many items go that the rules in force before would have kept. */
  | { readonly kind: 'stricter-policy'; readonly count: number }
  /** The trash takes more than it may: so many runs in it would go before their time to undo is over. */
  | { readonly kind: 'trash-size'; readonly count: number }
  /** A person said so. */
  | { readonly kind: 'held'; readonly since: EpochMs };
