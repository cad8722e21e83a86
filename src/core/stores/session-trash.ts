import { hash } from 'node:crypto';
import type { ItemOutcome } from '../retention/run.ts';
import type { EpochMs } from '../time.ts';
import { entryCount, type SessionFacts } from '../sessions/session.ts';

/** A session item of a run, as the store needs it. */
export interface TrashRequest {
  readonly number: number;
  readonly id: string;
  readonly fingerprint: string;
}

/**
 * Moves the files of a session. The store calls it in the same step that changes the rows, under the lock that every writer of
 * a transcript takes: no writer comes between the two, and an id is not free before the files are out of its place.
 */
export interface FileMover {
  /** Into the trash. A sentence when that cannot be. */
  take(request: TrashRequest): string | undefined;
  /** Back to their place. A sentence when that cannot be. */
  bringBack(request: TrashRequest): string | undefined;
  /** Brings back what a crash left in the trash of a session that stays after all. */
  letGo(request: TrashRequest): void;
}

/**
 * The part of a store that takes sessions out of sight and back. Their rows stay until they are purged, so giving them back
 * costs little and loses nothing. Each step may be asked for again after a crash, and then finishes what was begun.
 */
export interface SessionTrash {
  /**
   * Hides sessions that are still as their fingerprint says and that no process holds, and writes them into the ledger in the
   * same transaction. One hidden by this run already counts as done.
   */
  hide(run: string, requests: readonly TrashRequest[], options: HideOptions): Promise<readonly ItemOutcome[]>;
  /** Shows sessions again and takes them out of the ledger. Skips one whose id was given to another meanwhile. */
  show(run: string, requests: readonly TrashRequest[], files: FileMover): Promise<readonly ItemOutcome[]>;
  /** Deletes the rows of hidden sessions, in short steps. */
  drop(run: string, requests: readonly TrashRequest[]): Promise<void>;
  /** Takes files away from a session that stays: what its row said of them is remembered for `returnFiles`. */
  takeFiles(run: string, request: TrashRequest, options: TakeOptions): Promise<ItemOutcome>;
  returnFiles(run: string, request: TrashRequest, files: FileMover): Promise<ItemOutcome>;
  /** What the database takes, free pages included: it grows even by removing, until they are given back. */
  sizeBytes(): Promise<number>;
  /** The contents of hidden sessions, which are in the database still, by the run that hid them. */
  hiddenBytes(): Promise<ReadonlyMap<string, number>>;
  /** Whether search indexes hold so much of what is gone that it should be given back now. */
  owesSpace(): Promise<boolean>;
  /** Gives free pages and what search indexes no longer need back to the disk, in short steps. Returns how many bytes. */
  giveBack(options?: GiveBackOptions): Promise<number>;
}

export interface GiveBackOptions {
  /** Not a word of what is gone may stay in a file of the home, however long that takes. */
  readonly erase?: boolean;
  /** Ends it between two steps. Whoever comes next goes on. */
  readonly signal?: AbortSignal | undefined;
}

export interface HideOptions {
  readonly files: FileMover;
  /** Holders whose claims no longer count. */
  readonly deadHolders: readonly string[];
}

export interface TakeOptions extends HideOptions {
  readonly part: 'all' | 'dumps';
}

/**
 * Everything a decision about a session rests on, as one text. It is kept with the record of a run, also once a session is gone
 * for good, so no word of the session stands in it.
 */
export function sessionFingerprint(session: SessionFacts): string {
  const { lastActiveAt, endedAt, pinned, tags, transcriptBytes, dumpBytes } = session;
  // Joined rather than turned into JSON as a whole, which leaves a text in parts: a scan keeps 100 000 of these.
  const first = `[${entryCount(session)}`;
  const last = `${dumpBytes}]`;
  return [first, lastActiveAt, endedAt ?? 0, pinned, tagsMark(tags), transcriptBytes, last].join(',');
}

function tagsMark(tags: readonly string[]): string {
  return tags.length === 0 ? '[]' : hash('sha256', JSON.stringify(tags)).slice(0, 16);
}

/** The same for one part of a conversation: when any part was last used counts too. */
export function partFingerprint(fingerprint: string, conversationAt: EpochMs): string {
  return `${fingerprint}@${conversationAt}`;
}

/** What `partFingerprint` put together. */
export function readFingerprint(text: string): { readonly own: string; readonly conversationAt?: EpochMs } {
  const [, own, time] = /^(.*\])@(\d+)$/s.exec(text) ?? [];
  return own === undefined ? { own: text } : { own, conversationAt: Number(time) };
}
