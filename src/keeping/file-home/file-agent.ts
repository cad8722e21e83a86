import type { Problem } from '../../core/problem.ts';
import type { Doubt } from '../../core/retention/inventory.ts';
import type { SessionHold } from '../../core/sessions/session-hold.ts';
import type { TranscriptFacts, TranscriptFormat } from '../../core/sessions/transcript-format.ts';
import type { EpochMs } from '../../core/time.ts';
import type { RowAgent } from '../row-home/row-agent.ts';
import type { HomeTree, TreeFile } from './home-tree.ts';

/**
 * An agent whose sessions are whole files in its home. What is here is all that one such agent has of its own; walking the home, reading
 * conversations, moving files and bringing them back, archives and the records are the same for all of them.
 */
export interface FileAgent {
  /** A stable word, such as `some-agent`. */
  readonly name: string;
  /** What people call it. */
  readonly agent: string;
  format(): Promise<TranscriptFormat>;
  /** Sorts everything in a home by names, times and small files. It reads nothing large, and changes nothing. */
  sort(tree: HomeTree, now: EpochMs): Promise<SortedHome>;
  /** What can be said of a session from the beginning and the end of its files. */
  describe(home: string, session: FoundSession): Promise<DescribedSession>;
  /**
   * Looks at sessions once more right before something is done to them, by its own evidence and its own locks, and holds those
   * until it is disposed of.
   */
  guard(home: string, now: EpochMs): Promise<SessionGuard>;
  /** What its sessions have in files that they share with others. */
  readonly shared?: readonly SharedPart[];
  /** Its sessions, where they are rows of its databases. No file is one of them then. */
  readonly rows?: RowAgent;
  /** What it is set to delete by itself. Undefined where it never deletes a session. */
  retention?(home: string): Promise<OwnRetention | undefined>;
}

/** What a bounded look at a session tells. */
export interface DescribedSession extends TranscriptFacts {
  /** Given only where all of it was read, so that it is certain: rules about sessions with little in them go by it. */
  readonly messageCount?: number;
}

/** Every file of the tree is in exactly one place of it. */
export interface SortedHome {
  readonly sessions: readonly FoundSession[];
  /** What no session owns and nobody would miss: `orphan` belonged to a session that is gone, `debris` is an unfinished write. */
  readonly strays: readonly FoundStray[];
  /** All the rest by sort, `unbounded` where the agent never cuts it back. What is not understood is in the sort `unknown`. */
  readonly others: readonly OtherFiles[];
  readonly problems: readonly Problem[];
  /** Why no decision to remove may be trusted. */
  readonly doubts: readonly Doubt[];
}

export interface FoundSession {
  /** The agent's own id. It is data: it may hold anything. */
  readonly id: string;
  /** Where the conversation is told, in the order in which it is read. They are the session: it never stays without them. */
  readonly transcripts: readonly TreeFile[];
  /** Everything else that is of this session alone, and of no use to any other. */
  readonly parts: readonly SessionPart[];
  /**
   * The one that it came out of. It is needed here, and not only in what `describe` says, where a session continues another one: parts of a
   * conversation share one fate.
   */
  readonly parentId?: string;
  /** A living process of the agent has it, by the agent's own evidence, or it was used within the time for which nobody can tell. */
  readonly active: boolean;
  readonly hold?: SessionHold;
  readonly pinned?: boolean;
  readonly tags?: readonly string[];
  /** It could not be read in full, so nothing about it is certain. */
  readonly unreadable?: boolean;
}

export interface SessionPart {
  /** A file; or a folder with everything in it, given by its path. Relative to the home. */
  readonly path: string;
  readonly files: readonly TreeFile[];
  /** Output that the agent keeps beside the conversation and does without: it may go while the session stays. */
  readonly sparable: boolean;
  /** Keys, tokens, environments. It goes to the trash with its session, and never into an archive. */
  readonly secret?: true;
  /** Its files may have other names, of which each is another session's. They move, and what has the other names stays as it is. */
  readonly linked?: true;
}

export interface FoundStray {
  readonly kind: 'orphan' | 'debris';
  readonly path: string;
  readonly files: readonly TreeFile[];
}

export interface OtherFiles {
  readonly name: string;
  readonly files: readonly TreeFile[];
  readonly unbounded: boolean;
}

/** Disposing of it gives back the locks of the agent that it took. */
export interface SessionGuard extends Disposable {
  /** Why a session stays after all, as a sentence about it; undefined when it may go. Holds it for us from then on where it can. */
  obstacle(session: FoundSession): string | undefined;
  /** The same of what no session owns. Absent where nothing of it is ever needed. */
  strayObstacle?(stray: FoundStray): string | undefined;
}

/**
 * What a session has in a file that it shares with others, such as lines of an index or rows of a database. A copy is on the disk before
 * anything is taken out, and each step may be asked for again.
 */
export interface SharedPart {
  /** A stable word for it, by which copies of what was taken out are known. */
  readonly name: string;
  /** The folder in the home in which it writes, where that is not the home itself: a crash may leave an unfinished file there. */
  readonly folder?: string;
  /** Why nothing of it may be changed now, as a sentence. Sessions then stay, as what they were would still be told here. */
  obstacle?(home: string): string | undefined;
  /** What there is of a session, as text; undefined where there is nothing. */
  copy(home: string, id: string): Promise<string | undefined>;
  /** What came after the copy is not in it, and stays. */
  takeOut(home: string, id: string, copy: string): Promise<void>;
  /** Puts back what a copy says, as far as it is not there. */
  putBack(home: string, id: string, copy: string): Promise<void>;
}

export interface OwnRetention {
  /** What it is set to, in the agent's own words for it, such as `cleanupPeriodDays 30`. */
  readonly setting: string;
  /** Where it is set, for people. Absent where nobody set it, so that the agent's own default holds. */
  readonly from?: string;
  /**
   * When it would delete a session, at the next opportunity that it has from then on. Undefined where it would not. `all` are the
   * sessions among which it is: an agent may keep so many of them, or delete one together with another.
   */
  deletesAt(session: FoundSession, all: readonly FoundSession[]): EpochMs | undefined;
}
