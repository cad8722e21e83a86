import type { EpochMs } from '../time.ts';
import type { LedgerEntry } from '../sessions/session.ts';

/** An entry as it stands in the ledger. */
export interface LedgerRecord extends LedgerEntry {
  /** Its place in the ledger: what went later has a higher one. */
  readonly number: number;
}

export interface LedgerQuery {
  readonly source?: string;
  /** Last active at or after. */
  readonly since?: EpochMs;
  /** Last active before. */
  readonly before?: EpochMs;
  /** Only entries with a lower number, to go on from the last one seen. */
  readonly below?: number;
  readonly limit?: number;
}

/** What the ledger can be added up by. */
export const LEDGER_GROUPS = ['day', 'month', 'model', 'source'] as const;
export type LedgerGroup = (typeof LEDGER_GROUPS)[number];

/** The part of a store that keeps the trace of sessions which lived elsewhere. Asking again changes nothing. */
export interface LedgerBook {
  write(runId: string, entries: readonly LedgerEntry[]): Promise<void>;
  /** They are back where they were. */
  erase(runId: string, ids: readonly string[]): Promise<void>;
  /** Leaves what they used, and not what they were called or where they worked. */
  forgetNames(runId: string): Promise<void>;
}
