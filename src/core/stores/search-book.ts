import type { EpochMs } from '../time.ts';
import type { SearchTerms } from '../sessions/search-terms.ts';
import type { SearchHit } from './session-reader.ts';
import type { PartStamp } from '../sessions/searched-home.ts';

/** What people look for in an index of conversations. */
export interface BookQuery {
  readonly terms: SearchTerms;
  readonly since?: EpochMs | undefined;
  readonly limit: number;
  /** Whether a session still is what was read of it. */
  readonly holds: (id: string) => boolean;
}

/** A session that was found in the index. */
export interface BookHit extends Pick<SearchHit, 'match' | 'excerpt' | 'message'> {
  readonly id: string;
}

/** What the index has of one part of a conversation. */
export interface BookedPart {
  readonly name: string;
  readonly stamp: PartStamp;
  /** How far it was read, and a word for what stood there. */
  readonly readBytes: number;
  readonly mark: string | undefined;
  /** All of it was read. */
  readonly whole: boolean;
}

export interface BookedSession {
  /** As it was when all of it was read; empty before. */
  readonly stamp: string;
  readonly archived: boolean;
  /** There was no room for what it says. Its title is there. */
  readonly leftOut: boolean;
  readonly lastActiveAt: EpochMs;
  readonly parts: readonly BookedPart[];
}

/** What is noted of a session, beside what it says. */
export interface SessionNote {
  readonly id: string;
  readonly stamp: string;
  readonly archived: boolean;
  readonly leftOut: boolean;
  readonly lastActiveAt: EpochMs;
  readonly title: string | undefined;
}

export interface SaidMessage {
  readonly role: string;
  readonly at: EpochMs;
  readonly text: string;
}

/** One part that is being read into the index. Another process may take it over: nothing more of it is taken then. */
export interface PartWriter {
  /** False when somebody else is at it. */
  say(messages: readonly SaidMessage[], readBytes: number): boolean;
  /** `whole` where all of it was read, and not only a beginning. */
  end(read: Pick<BookedPart, 'readBytes' | 'mark' | 'stamp' | 'whole'>): boolean;
}

export interface WritePart {
  readonly id: string;
  readonly name: string;
  /** Its place among the parts of the session. */
  readonly order: number;
  /** What was read of it before stays. */
  readonly goOn: boolean;
}

/**
 * An index over conversations that are kept elsewhere. It may be deleted at any time and is built anew from them. Places are paths of
 * homes.
 */
export interface SearchBook extends Disposable {
  /** What it has of a place, by the ids of sessions. */
  sessions(place: string): ReadonlyMap<string, BookedSession>;
  /** Begins to read a part, or to read it on. Undefined while another process does so. */
  write(place: string, part: WritePart): PartWriter | undefined;
  /** Notes sessions, when all that they say was read. */
  note(place: string, notes: readonly SessionNote[]): void;
  /** What these sessions said is not found any more; without `names` nothing of them is. */
  drop(place: string, id: string, names?: readonly string[]): void;
  /** Drops sessions so that nothing of it can be read out of any file. */
  erase(place: string, ids: readonly string[]): void;
  /** Forgets everything. */
  clear(): void;
  find(place: string, query: BookQuery): readonly BookHit[];
  /** Of how many sessions there was no room for what they say. */
  leftOut(place: string): number;
  /**
   * Makes room, of all places what was used longest ago first, and only what was used before a time: what such a session said is not found
   * any more, and its title is. False where there is nothing of that.
   */
  makeRoom(bytes: number, before: EpochMs): boolean;
  /** Nothing can be written: it shows what was read before. */
  readonly onlyRead: boolean;
  /** What it takes on the disk, as far as it is in use. */
  readonly sizeBytes: number;
  /** Ends a piece of work: gives back what is free. After much of it the index is merged, which makes it smaller and quicker. */
  tidy(readBytes: number): void;
}
