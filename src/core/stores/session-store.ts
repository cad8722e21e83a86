import type { GatewayBooks } from '../gateway/gateway-books.ts';
import type { LedgerQuery } from './ledger-book.ts';
import type { SessionFacts } from '../sessions/session.ts';
import type { SessionFilter } from '../sessions/session-filters.ts';
import type { ListQuery, SearchHit, SearchQuery, SessionReader } from './session-reader.ts';
import type { SessionRecords } from './session-records.ts';
import type { SessionWriter } from './session-writer.ts';
import type { StoreRepair } from './store-repair.ts';

/**
 * Where sessions and messages live: every port in one, as whoever opens a home gets it. Whoever needs one of them asks for that one. The
 * store is the truth; transcripts are copies of it. Every method that changes something is durable when its promise resolves.
 * The suites of `src/kit/store` are the contract in full: a store is done when they pass.
 */
export interface SessionStore extends SessionReader, SessionWriter, SessionRecords, GatewayBooks, AsyncDisposable {
  list(query?: StoreListQuery): AsyncIterable<SessionFacts>;
  search(query: SearchQuery): Promise<readonly SearchHit[]>;
  /** How long lists are, without reading them. */
  readonly counts: ListCounts;
  /** Puts right what a check found and what the messages themselves can tell. */
  readonly repair: StoreRepair;
}

/** A list that a whole store narrows down by itself: readers of other agents' sessions need not. */
export interface StoreListQuery extends ListQuery {
  /** Only sessions that all of it is true of; a limit counts those. */
  readonly filter?: SessionFilter;
  /** Leaves out so many at the beginning of a list that is sorted. */
  readonly skip?: number;
}

/** How many a list would give that is read to its end. Neither a limit nor what is left out counts. */
export interface ListCounts {
  sessions(query?: StoreListQuery): Promise<number>;
  /** Of one session; with `rewound` also those that were taken back. */
  messages(id: string, rewound: boolean): Promise<number>;
  /** Keys, or those of one source. */
  routes(source?: string): Promise<number>;
  ledger(query?: LedgerQuery): Promise<number>;
}
