import type { EpochMs } from '../time.ts';
import type { NewMessage } from './message.ts';
import type { SessionFacts } from './session.ts';

/** A home that cannot be searched by itself, for whoever keeps an index of what is said in it. */
export interface SearchedHome {
  /** Every session that is there now, by one look that reads nothing large. */
  sessions(signal?: AbortSignal): Promise<readonly SearchedSession[]>;
  /** Sessions in the archive, whose conversations can be read there. */
  archived(): AsyncIterable<SearchedSession>;
}

export interface SearchedSession {
  readonly id: string;
  /** Changes with everything that is told of it. */
  readonly stamp: string;
  /** As far as one look tells. */
  readonly lastActiveAt: EpochMs;
  readonly archived: boolean;
  /** Where it is told, in the order in which it is read. */
  readonly parts: readonly SearchedPart[];
  /** What is known of it without reading all of it. */
  facts(): Promise<SessionFacts>;
}

/** One file of a conversation, or all of one that is in a database. */
export interface SearchedPart {
  readonly name: string;
  /** The same number means that it is the same file, though it may have grown. */
  readonly stamp: PartStamp;
  /** Its messages, in order; from a place on at which some ended before. */
  read(from: number, signal?: AbortSignal): AsyncIterable<SearchedBatch>;
  /** A word for what stands right before a place, and at the very beginning. Undefined where reading cannot go on there. */
  markAt(place: number): Promise<string | undefined>;
}

export interface PartStamp {
  readonly sizeBytes: number;
  readonly modifiedAt: EpochMs;
  readonly inode: number;
}

export interface SearchedBatch {
  readonly messages: readonly NewMessage[];
  /** How far was read. */
  readonly offset: number;
}
