import type { LedgerEntry } from './session.ts';

/** The part of a store that keeps the trace of sessions which lived elsewhere. Asking again changes nothing. */
export interface LedgerBook {
  write(runId: string, entries: readonly LedgerEntry[]): Promise<void>;
  /** They are back where they were. */
  erase(runId: string, ids: readonly string[]): Promise<void>;
}
