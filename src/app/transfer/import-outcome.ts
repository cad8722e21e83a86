import type { Problem } from '../../core/problem.ts';

/** What an import says as it goes: what became of each session, how far it is, and what it did not look at. */
export type ImportOutcome = SessionOutcome | ReadingProgress | LeftAlone;

export interface SessionOutcome {
  /** `empty`: a transcript in which nobody says anything. */
  readonly status: 'imported' | 'already-there' | 'conflict' | 'failed' | 'skipped' | 'empty';
  readonly path: string;
  /** Absent where the file could not even be read so far. */
  readonly id?: string;
  /** How many messages of the session were understood. */
  readonly messages: number;
  /** The first problems; `problemCount` counts them all. An imported session can have some: those lines are missing. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  /** Lines of kinds that this version does not know, which were left out; absent when there are none. */
  readonly unknown?: UnknownLines;
  /** Of all files, so far. */
  readonly bytesRead: number;
}

export interface UnknownLines {
  readonly lines: number;
  /** The first few kinds, as the agent calls them. */
  readonly kinds: readonly string[];
}

/** Comes about once per megabyte, and at least once for some dozens of files. Both numbers are of all files together. */
export interface ReadingProgress {
  readonly status: 'reading';
  readonly path: string;
  readonly bytesRead: number;
  readonly totalBytes: number;
}

/** Files in a folder that are no transcripts, and links. */
export interface LeftAlone {
  readonly status: 'left-alone';
  readonly path: string;
  readonly files: number;
}
