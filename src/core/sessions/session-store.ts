import type { CronBook } from '../gateway/cron-book.ts';
import type { DeliveryBook } from '../gateway/delivery-book.ts';
import type { Once, RequestBook } from '../gateway/once.ts';
import type { RouteBook } from '../gateway/route-book.ts';
import type { Problem } from '../problem.ts';
import type { Journal } from '../retention/run.ts';
import type { EpochMs } from '../time.ts';
import type { KeptRecords } from './kept-records.ts';
import type { LedgerBook, LedgerQuery, LedgerRecord } from './ledger-book.ts';
import type { Message, NewMessage } from './message.ts';
import type { ModelUsage, NewSession, SessionChange, SessionFacts, SessionSize, UsageReport } from './session.ts';
import type { SessionArchive } from './session-archive.ts';
import type { SessionRewind } from './session-rewind.ts';
import type { SessionTrash } from './session-trash.ts';
import type { StoreRepair } from './store-repair.ts';

/**
 * Where sessions and messages live. The store is the truth; transcripts are copies of it.
 * Every method that changes something is durable when its promise resolves.
 * `session-store.conformance.ts` is the contract in full: a store is done when that suite passes.
 */
export interface SessionStore extends AsyncDisposable {
  /** Starts a session. Refuses an id that is taken, and a parent that does not exist. */
  create(session: NewSession, once?: Once): Promise<SessionFacts>;
  /** Archived sessions too: their facts say so. Nothing but their facts and usage can be asked for, and nothing changed. */
  get(id: string): Promise<SessionFacts | undefined>;
  /** How large a session is. Asked before every step of an agent, so it is answered at once. */
  sizeOf(id: string): SessionSize | undefined;
  /** Ids that begin with these characters, for people who type the first few; at most `limit`. */
  idsStartingWith(prefix: string, limit: number): Promise<readonly string[]>;
  list(query?: ListQuery): AsyncIterable<SessionFacts>;

  /**
   * Adds messages in order, all or none. Refuses a session that has ended or is full; one that was only left, and closed as `abandoned`,
   * is open again. At most `MAX_BATCH` at once.
   */
  append(id: string, messages: readonly NewMessage[], options?: AppendOptions): Promise<AppendReceipt>;
  messages(id: string, range?: MessageRange): AsyncIterable<Message>;

  recordUsage(id: string, usage: UsageReport, options?: UsageOptions): Promise<void>;
  /** The ids under which usage was recorded once and that are still remembered. */
  usageIds(): Promise<readonly string[]>;
  /** Forgets such ids: nobody will come with them again. */
  forgetUsageIds(ids: readonly string[]): Promise<void>;
  usageByModel(id: string): Promise<readonly ModelUsage[]>;
  /** Keeps the size of the request dumps beside the session, so that listing needs no directory walk. Counts as activity. */
  recordDumps(id: string, dumps: { readonly sizeBytes: number }): Promise<void>;

  change(id: string, change: SessionChange): Promise<SessionFacts>;
  /**
   * Ends an open session, or on purpose one that ended by accident; ending it again changes nothing. Releases the lease of this
   * process.
   */
  end(id: string, reason: string): Promise<SessionFacts>;
  /**
   * Ends sessions that are in use for no other reason than that nobody ended them, each only if it was not used since it was looked
   * at: decided under the write lock, so that none is ended in which somebody works. Returns the ids of those it ended.
   */
  endUnused(sessions: readonly UnusedSession[], options: EndUnusedOptions): Promise<readonly string[]>;
  /** Opens an ended session again. */
  resume(id: string): Promise<SessionFacts>;

  /** The trace of sessions that were removed, the last to go first. */
  ledger(query?: LedgerQuery): AsyncIterable<LedgerRecord>;
  /** The trace of sessions that this store never held. */
  readonly ledgerBook: LedgerBook;

  /** How long lists are, without reading them. */
  readonly counts: ListCounts;

  /** Best matches first, one per session. */
  search(query: SearchQuery): Promise<readonly SearchHit[]>;

  /** Gives up this process's claim on a session. Claims are taken by `create` and the first `append`. */
  release(id: string): Promise<void>;
  /** Every process that claims sessions, dead ones included: whoever asks decides who is alive. */
  holders(): Promise<readonly LeaseHolder[]>;

  getMeta(key: string): Promise<string | undefined>;
  setMeta(key: string, value: string): Promise<void>;

  /** What an import needs: sessions that appear whole or not at all. */
  readonly imports: ImportStore;
  /** What the engine needs: sessions out of sight and back, and the record of its runs. */
  readonly trash: SessionTrash;
  readonly archive: SessionArchive;
  /** Conversations taken back to an earlier message. */
  readonly rewind: SessionRewind;
  readonly journal: Journal;
  /** What the gateway needs: who answers which key, and what runs by the clock. */
  readonly routes: RouteBook;
  readonly cron: CronBook;
  readonly deliveries: DeliveryBook;
  /** What was asked for under a key. Where a change takes one, the key is kept in the transaction of the change. */
  readonly requests: RequestBook;
  /** Supervised runs that have not ended. */
  readonly runRecords: KeptRecords;
  /** Puts right what a check found and what the messages themselves can tell. */
  readonly repair: StoreRepair;
  /** Looks for damage and disagreement. Changes nothing. */
  check(): AsyncIterable<StoreCheck>;
}

export interface UsageOptions {
  /** Usage with this id is recorded once, however often it is given, until the id is forgotten. */
  readonly once?: string;
  /** Ids to forget in the same transaction. */
  readonly forget?: readonly string[];
  /** It was used by a process that has died: this one does not work in the session, and nothing has happened in it just now. */
  readonly late?: boolean;
  /** The request that told of it: one that was carried out before is not carried out again. */
  readonly request?: Once;
}

/** More messages than this never share a transaction, so that no writer waits long. */
export const MAX_BATCH = 500;
/** Nor does more content than this, unless a single message is larger: a transaction stands in the log as a whole. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;

export const SESSION_SORTS = ['last', 'bytes', 'messages', 'tokens', 'cost'] as const;
export type SessionSort = (typeof SESSION_SORTS)[number];

/** A session as somebody saw it who takes it to be unused. */
export interface UnusedSession {
  readonly id: string;
  readonly lastActiveAt: EpochMs;
  readonly messageCount: number;
}

export interface EndUnusedOptions {
  readonly reason: string;
  /** Holders whose claims no longer count. */
  readonly deadHolders: readonly string[];
}

export interface ListQuery {
  /** Archived sessions instead of live ones. */
  readonly archived?: boolean;
  readonly source?: string;
  /** Only sessions that nobody ended; looks at no other. */
  readonly open?: true;
  /** Only sessions claimed by one of these holders, ended or not, or open with activity at or after `since`. */
  readonly active?: { readonly holderIds: readonly string[]; readonly since: EpochMs };
  /** Last active at or after. */
  readonly since?: EpochMs;
  /** Last active before. */
  readonly before?: EpochMs;
  /** Largest first; `last` (the default) is most recent first; `stored` is whatever costs least, for those who read everything. */
  readonly sort?: SessionSort | 'stored';
  readonly limit?: number;
}

/** How many a list would give that is read to its end. A limit does not count. */
export interface ListCounts {
  sessions(query?: ListQuery): Promise<number>;
  /** Of one session; with `rewound` also those that were taken back. */
  messages(id: string, rewound: boolean): Promise<number>;
  /** Keys, or those of one source. */
  routes(source?: string): Promise<number>;
  ledger(query?: LedgerQuery): Promise<number>;
}

/** Messages `from`…`to` by sequence number, both included; or only the newest `last`. Always in order. */
export interface MessageRange {
  readonly from?: number;
  readonly to?: number;
  readonly last?: number;
  /** Also messages that were taken back. They are left out otherwise: they are not part of the conversation any more. */
  readonly rewound?: boolean;
}

export interface AppendOptions {
  /**
   * A session that is as large as this already takes no more. Looked at in the very moment of writing: whoever comes at once, from
   * however many processes, one of them is the last.
   */
  readonly within?: SessionSize | undefined;
  /** The number of the last message that the caller knows of, 0 for none. Where another was added meanwhile, nothing is stored. */
  readonly expectedSeq?: number | undefined;
  /** Under this key they are stored once, however often that is asked for; the receipt is that of the first time. */
  readonly once?: Once | undefined;
}

export interface AppendReceipt {
  /** Sequence numbers of what was stored. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** How large the session is with it, and with whatever others added by then. */
  readonly size: SessionSize;
  /** What was found and mended, or could not be written, in the transcript. The messages are stored all the same. */
  readonly problems: readonly Problem[];
}

export interface SearchQuery {
  /** Words, `"exact phrases"` and `-words to leave out`. All must match; parts of words match too. */
  readonly text: string;
  readonly source?: string;
  readonly limit?: number;
}

export interface SearchHit {
  readonly session: SessionFacts;
  /** The best message of the session; absent when only its title matched, and when it is archived. */
  readonly message?: { readonly seq: number; readonly role: string; readonly at: EpochMs; readonly rewound?: true };
  readonly excerpt: SearchExcerpt;
  /** How it was found: whole words rank before parts of words. */
  readonly match: 'words' | 'part' | 'title';
}

/** A stretch of text with the places that matched, as [start, end) offsets. */
export interface SearchExcerpt {
  readonly text: string;
  readonly marks: readonly (readonly [number, number])[];
}

/** A process that claims sessions; `process` is what its machine knows it by. */
export interface LeaseHolder {
  readonly id: string;
  readonly process: ProcessIdentity;
  readonly heartbeatAt: EpochMs;
  readonly sessionIds: readonly string[];
}

/** Enough to tell a process from every other one, also after its number was given to another. */
export interface ProcessIdentity {
  readonly host: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly startedAt: string;
}

export interface ImportStore {
  /** Starts a session that nobody sees until `finish`. An unfinished one of the same id is dropped first. */
  begin(session: ImportedSession): Promise<void>;
  append(id: string, messages: readonly Message[]): Promise<void>;
  /** Makes it visible with these facts. */
  finish(session: ImportedSession): Promise<void>;
  abandon(id: string): Promise<void>;
}

/** A session as an export describes it. Counts and sizes are found anew on import. */
export interface ImportedSession extends NewSession {
  readonly id: string;
  readonly startedAt: EpochMs;
  readonly lastActiveAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly endReason?: string;
  readonly pinned: boolean;
  readonly usageByModel: readonly ModelUsage[];
}

/** One thing that was looked at, and what is wrong with it. */
export interface StoreCheck {
  readonly name: string;
  readonly problems: readonly Problem[];
}
