import type { Once } from '../gateway/once.ts';
import type { Problem } from '../problem.ts';
import type { EpochMs } from '../time.ts';
import type { ImportStore } from './import-store.ts';
import type { LeaseHolder } from '../sessions/lease-holder.ts';
import type { NewMessage } from '../sessions/message.ts';
import type { NewSession, SessionChange, SessionFacts, SessionSize, UsageReport } from '../sessions/session.ts';

/** What changes sessions. Every method is durable when its promise resolves. */
export interface SessionWriter {
  /** Starts a session. Refuses an id that is taken, and a parent that does not exist. */
  create(session: NewSession, once?: Once): Promise<SessionFacts>;

  /**
   * Adds messages in order, all or none. Refuses a session that has ended or is full; one that was only left, and closed as `abandoned`,
   * is open again. At most `MAX_BATCH` at once.
   */
  append(id: string, messages: readonly NewMessage[], options?: AppendOptions): Promise<AppendReceipt>;

  recordUsage(id: string, usage: UsageReport, options?: UsageOptions): Promise<void>;
  /** The ids under which usage was recorded once and that are still remembered. */
  usageIds(): Promise<readonly string[]>;
  /** Forgets such ids: nobody will come with them again. */
  forgetUsageIds(ids: readonly string[]): Promise<void>;
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

  /** Gives up this process's claim on a session. Claims are taken by `create` and the first `append`. */
  release(id: string): Promise<void>;
  /** Every process that claims sessions, dead ones included: whoever asks decides who is alive. */
  holders(): Promise<readonly LeaseHolder[]>;

  /** What an import needs: sessions that appear whole or not at all. */
  readonly imports: ImportStore;
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
