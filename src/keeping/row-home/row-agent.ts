import type { ChildKind, ModelUsage } from '../../core/sessions/session.ts';
import type { SessionHold } from '../../core/sessions/session-hold.ts';
import type { TranscriptPiece } from '../../core/sessions/transcript-format.ts';
import type { EpochMs } from '../../core/time.ts';
import type { GuestDatabase } from '../../platform/sqlite/guest-database.ts';

/**
 * An agent whose sessions are rows of its own databases. They are only ever read: what else belongs to a session, and what of it is in
 * use, its program alone knows, so a session goes by the command of its agent or not at all.
 */
export interface RowAgent {
  /** The databases that are in a home, by their absolute paths. */
  databases(home: string): readonly string[];
  /** All sessions of a database in the order in which they began. A database in an unknown shape has none. */
  sessions(guest: GuestDatabase, signal?: AbortSignal): AsyncIterable<RowSession>;
  /** What is said in a session from a mark on, a bounded part of it. */
  page(guest: GuestDatabase, id: string, after: string | undefined): RowPage;
  /** Why nobody but its agent takes a session away. */
  hold(session: Pick<RowSession, 'id' | 'key'>): SessionHold;
  /** Nothing tells of single calls: what was used is only known by session. */
  readonly totalsOnly?: true;
  /** What a session used is not told at all. */
  readonly unmeasured?: true;
  /** What a person may do about a damaged database. */
  readonly mend?: string;
}

/** A session as its rows tell. */
export interface RowSession {
  /** The agent's own id. It is data: it may hold anything. */
  readonly id: string;
  /** By what its agent calls it, where that is not its id. */
  readonly key?: string;
  readonly title?: string;
  readonly workdir?: string;
  readonly model?: string;
  readonly parentId?: string;
  readonly childKind?: ChildKind;
  readonly startedAt: EpochMs;
  readonly lastActiveAt: EpochMs;
  readonly tags?: readonly string[];
  readonly pinned?: true;
  /** What it used itself. What was copied from another session counts there. */
  readonly usageByModel: readonly ModelUsage[];
  /** As its agent counts its messages. */
  readonly messageRows: number;
  /** What its rows hold. */
  readonly rowBytes: number;
  /** It stands in the middle of an answer: somebody is at work in it, or was when its program died. */
  readonly unfinished?: true;
}

/** A session together with where it is told. */
export interface FoundRow extends RowSession {
  readonly database: string;
  /** It may be in use, by all that its agent tells. */
  readonly active: boolean;
}

export interface RowPage {
  readonly pieces: readonly TranscriptPiece[];
  /** Where the next part begins; absent at the end. */
  readonly next?: string;
}
