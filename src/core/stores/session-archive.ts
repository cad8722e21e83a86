import type { ItemOutcome } from '../retention/run.ts';
import type { Message } from '../sessions/message.ts';
import type { ModelUsage, SessionFacts } from '../sessions/session.ts';
import type { FileMover, HideOptions, TrashRequest } from './session-trash.ts';

export type ArchiveCodec = 'brotli' | 'gzip';

/** Where the content of an archived session is, and what it must be when it is read. */
export interface ArchiveMember {
  /** The name of the bundle. */
  readonly bundle: string;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  readonly codec: ArchiveCodec;
  /** Of the plain bytes, as are the two numbers after it. */
  readonly sha256: string;
  readonly plainBytes: number;
  readonly lineCount: number;
}

/** A session as an archive keeps it: its facts, the highest number that a message of it ever had, and the last one in its transcript. */
export interface ArchivedFacts extends SessionFacts {
  readonly lastSeq: number;
  readonly transcriptSeq: number;
}

/** Messages that were taken back: those after the one, up to the other. */
export interface ArchivedRewind {
  readonly runId: string;
  readonly afterSeq: number;
  readonly lastSeq: number;
}

/** One thing that an archive keeps of a session, in the words of the domain: any store brings back what any other gave. */
export type ArchiveDocument =
  | { readonly kind: 'session'; readonly session: ArchivedFacts }
  | { readonly kind: 'usage'; readonly usage: ModelUsage }
  | { readonly kind: 'rewind'; readonly rewind: ArchivedRewind }
  | { readonly kind: 'message'; readonly message: Message };

/** `member` is absent for a session that was sealed before a crash: its step is only finished. */
export interface SealRequest extends TrashRequest {
  readonly member?: ArchiveMember;
}

/** An archived session, by the run and number under which it went into the archive. */
export interface ArchivedSession {
  readonly runId: string;
  readonly number: number;
  readonly session: SessionFacts;
  readonly member: ArchiveMember;
}

export interface BundleUse {
  readonly name: string;
  readonly memberCount: number;
  /** Bytes of members that a session refers to, those in the trash included. */
  readonly usedBytes: number;
  readonly trashedBytes: number;
}

/**
 * The part of a store that lets go of the messages of archived sessions and takes them back. Their rows, usage and titles stay,
 * and so does their id. Each step may be asked for again after a crash, and then finishes what was begun.
 */
export interface SessionArchive {
  /** Everything of a live session as the JSON of `ArchiveDocument`s, in the order in which an archive keeps them, some at a time. */
  documents(id: string): AsyncIterable<readonly string[]>;
  /**
   * Marks sessions as archived that are still as their fingerprint says and that no process holds; only then their messages
   * go, in short steps.
   */
  seal(run: string, requests: readonly SealRequest[], options: HideOptions): Promise<readonly ItemOutcome[]>;
  /** What a run archived under this number, while it is in the archive or its archive in the trash. */
  find(run: string, number: number): Promise<(ArchivedSession & { readonly trashed: boolean }) | undefined>;
  /** The archived session with this id. */
  get(id: string): Promise<ArchivedSession | undefined>;
  /** What people asked in an archived session, as far as it is searched: the beginning of each message. */
  prompts(id: string): Promise<string | undefined>;
  /** Removes what an earlier attempt at restoring put back. */
  clear(run: string, number: number): Promise<void>;
  /** Puts messages of an archived session back, out of sight. */
  put(run: string, number: number, messages: readonly Message[]): Promise<void>;
  /** Makes an archived session live again, once all of its messages are back. */
  unseal(run: string, request: TrashRequest, files: FileMover): Promise<ItemOutcome>;

  /** Takes archives out of sight, and writes their sessions into the ledger. `SessionTrash.drop` removes them for good. */
  hide(run: string, requests: readonly TrashRequest[]): Promise<readonly ItemOutcome[]>;
  show(run: string, requests: readonly TrashRequest[]): Promise<readonly ItemOutcome[]>;

  /** Archived sessions, all or those of one bundle. What is in the trash is left out. */
  list(bundle?: string): AsyncIterable<ArchivedSession>;
  /** The bundles that any session refers to. */
  bundles(): Promise<readonly BundleUse[]>;
  /** Lets sessions refer to copies of their members. */
  move(moves: readonly Pick<ArchivedSession, 'runId' | 'number' | 'member'>[]): Promise<void>;
}
