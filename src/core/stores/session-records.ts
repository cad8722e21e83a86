import type { Journal } from '../retention/run.ts';
import type { LedgerBook, LedgerQuery, LedgerRecord } from './ledger-book.ts';
import type { SessionArchive } from './session-archive.ts';
import type { SessionRewind } from './session-rewind.ts';
import type { SessionTrash } from './session-trash.ts';

/** What is remembered of a home under a name. */
export interface HomeMemory {
  getMeta(key: string): Promise<string | undefined>;
  setMeta(key: string, value: string): Promise<void>;
}

/** What the engine needs: sessions out of sight and back, the record of its runs, and the trace of what is gone. */
export interface SessionRecords extends HomeMemory {
  readonly journal: Journal;
  readonly trash: SessionTrash;
  readonly archive: SessionArchive;
  /** Conversations taken back to an earlier message. */
  readonly rewind: SessionRewind;
  /** The trace of sessions that were removed, the last to go first. */
  ledger(query?: LedgerQuery): AsyncIterable<LedgerRecord>;
  /** The trace of sessions that this store never held. */
  readonly ledgerBook: LedgerBook;
}
