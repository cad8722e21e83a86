import type { ItemOutcome } from './run.ts';
import type { SessionFacts } from './session.ts';
import type { TranscriptMark } from './transcript.ts';

/** A session item of a run, as the store needs it. */
export interface TrashRequest {
  readonly number: number;
  readonly id: string;
  readonly fingerprint: string;
}

/**
 * The part of a store that takes sessions out of sight and back. Their rows stay until they are purged, so giving them back
 * costs little and loses nothing.
 */
export interface SessionTrash {
  /**
   * Hides sessions that are still as their fingerprint says and that no process holds, and writes them into the ledger in the
   * same transaction. `deadHolders` are those whose claims no longer count. One hidden by this run already counts as done.
   */
  hide(run: string, requests: readonly TrashRequest[], deadHolders: readonly string[]): Promise<readonly ItemOutcome[]>;
  /** Shows sessions again and takes them out of the ledger. Skips one whose id was given to another meanwhile. */
  show(run: string, requests: readonly TrashRequest[]): Promise<readonly ItemOutcome[]>;
  /** Deletes the rows of hidden sessions, in short steps. */
  drop(run: string, requests: readonly TrashRequest[]): Promise<void>;
  /** Records that a session's files were taken away: what the transcript held is remembered for `returnFiles`. */
  takeFiles(run: string, request: TrashRequest, options: TakeOptions): Promise<ItemOutcome>;
  returnFiles(run: string, request: TrashRequest): Promise<ItemOutcome>;
  /** Free pages given back to the disk; at most this many bytes in one short step. */
  giveBack(maxBytes: number): Promise<number>;
}

export interface TakeOptions {
  readonly part: 'all' | 'dumps';
  readonly deadHolders: readonly string[];
}

export interface TakenFiles {
  readonly mark: TranscriptMark;
  readonly dumpBytes: number;
}

/** Everything a decision about a session rests on, as one text. */
export function sessionFingerprint(session: SessionFacts): string {
  const { messageCount, lastActiveAt, endedAt, pinned, tags, transcriptBytes, dumpBytes } = session;
  return JSON.stringify([messageCount, lastActiveAt, endedAt ?? 0, pinned, tags, transcriptBytes, dumpBytes]);
}
