import type { EpochMs } from '../time.ts';
import type { GuardReason } from './plan.ts';
import type { Policy } from './policy.ts';

/** What one unattended pass did, or why it did nothing. */
export type MaintenanceReport = (
  | /** Too soon after the last one. */ { readonly status: 'not-due'; readonly nextAt: EpochMs }
  /** Another process is at it. */
  | { readonly status: 'busy' }
  | ({ readonly status: 'done' } & PassCounts)
) & {
  /** What became of the limits of checkpoints, which have settings and an interval of their own. */
  readonly checkpoints?: BoundsReport;
};

/** What looking after the limits of checkpoints came to. */
export type BoundsReport =
  | { readonly status: 'off' | 'within' | 'busy' }
  | {
      readonly status: 'done';
      readonly removed: number;
      readonly freedBytes: number;
      /** The run that it can be undone with, as far as it went into the trash; absent where nothing did. */
      readonly runId?: string;
      /** A person holds what would go, so only what nothing needs went. */
      readonly held?: true;
    }
  | { readonly status: 'failed'; readonly error: string };

export interface PassCounts {
  readonly at: EpochMs;
  /** Sessions left open by a crash that were closed. */
  readonly closed: number;
  readonly removed: number;
  /** How many of these are earlier runs whose trash was emptied; absent when there were none. */
  readonly emptied?: number;
  /** How many of these skipped the trash or left it before their time, so that nothing brings them back; absent when none did. */
  readonly forGood?: number;
  /** Sessions that went into the archive; absent when there were none. */
  readonly archived?: number;
  readonly skipped: number;
  readonly freedBytes: number;
  /** The run that it can be undone with; absent where nothing can come back. */
  readonly runId?: string;
  /** Why less went than the rules say, in sentences; absent when there is nothing to say. */
  readonly notes?: readonly string[];
  /** What the rules let go of and the guard put off. */
  readonly waiting?: Waiting;
}

/** What waits, why and until when. */
export interface Waiting {
  readonly items: number;
  readonly sizeBytes: number;
  readonly reasons: readonly GuardReason[];
  /** By then all of it may go, and the next pass takes it; absent while a person holds it. */
  readonly until?: EpochMs;
}

/** What passes remember from one to the next. */
export interface MaintenanceMemory extends GuardMemory {
  readonly report?: MaintenanceReport;
}

/** What the guard must know of the passes before. */
export interface GuardMemory {
  readonly lastAt?: EpochMs;
  /** The rules the last pass went by. */
  readonly policy?: Policy;
  /** The rules before they were changed, for as long as the change is being announced. */
  readonly before?: { readonly policy: Policy; readonly until: EpochMs };
  /** Oldest first. */
  readonly notices?: readonly Notice[];
  /** Since when a person holds everything that would go. */
  readonly heldSince?: EpochMs;
}

/** An announcement: whatever these rules let go of at that moment goes at its date, if they still do. */
export interface Notice {
  readonly at: EpochMs;
  readonly goesAt: EpochMs;
  readonly policy: Policy;
}

/** When the next pass is due; a stamp in the future is ignored, because it would keep maintenance away until then. */
export function nextDueAt(
  { lastAt }: MaintenanceMemory,
  { now, minIntervalMs }: { now: EpochMs; minIntervalMs: number },
) {
  return lastAt === undefined || lastAt > now ? now : lastAt + minIntervalMs;
}
