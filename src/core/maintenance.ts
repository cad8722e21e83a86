import type { GuardReason } from './plan.ts';
import type { Policy } from './policy.ts';
import type { EpochMs } from './time.ts';

/** What one unattended pass did, or why it did nothing. */
export type MaintenanceReport =
  /** Too soon after the last one. */
  | { readonly status: 'not-due'; readonly nextAt: EpochMs }
  /** Another process is at it. */
  | { readonly status: 'busy' }
  | ({ readonly status: 'done' } & PassCounts)
  /** Nothing of value was removed: a person should look first. Expired trash and debris went all the same. */
  | ({ readonly status: 'announced'; readonly reasons: readonly GuardReason[]; readonly held: number } & PassCounts);

export interface PassCounts {
  readonly at: EpochMs;
  /** Sessions left open by a crash that were closed. */
  readonly closed: number;
  readonly removed: number;
  /** Sessions that went into the archive; absent when there were none. */
  readonly archived?: number;
  readonly skipped: number;
  readonly freedBytes: number;
  readonly runId?: string;
}

/** What passes remember from one to the next. */
export interface MaintenanceMemory {
  readonly lastAt?: EpochMs;
  /** The rules the last pass went by. */
  readonly policy?: Policy;
  readonly report?: MaintenanceReport;
}

/** When the next pass is due; a stamp in the future is ignored, because it would keep maintenance away until then. */
export function nextDueAt(
  { lastAt }: MaintenanceMemory,
  { now, minIntervalMs }: { now: EpochMs; minIntervalMs: number },
) {
  return lastAt === undefined || lastAt > now ? now : lastAt + minIntervalMs;
}
