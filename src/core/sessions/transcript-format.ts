import type { Problem } from '../problem.ts';
import type { EpochMs } from '../time.ts';
import type { NewMessage } from './message.ts';
import type { ChildKind, UsageReport } from './session.ts';

/** How the conversations are read that one agent has written. Files are only ever read, and never as a whole. */
export interface TranscriptFormat {
  /** A stable word, such as `some-agent`. Sessions that come from it have it as their source. */
  readonly name: string;
  /** What people call the agent. */
  readonly title: string;
  /** What a file is to this agent; undefined when it is none of its own. Looks at the path before it looks at `beginning`. */
  recognise(head: FileHead): FileRole | undefined;
  /** What a transcript says, in order and some pieces at a time: of each session a `begin`, its pieces, and an `end`. */
  read(file: TranscriptFile, signal?: AbortSignal): TranscriptBatches;
  /**
   * The messages of a transcript from a place on at which a batch ended before. Absent where what comes later cannot be understood without
   * what came before it.
   */
  readFrom?(file: TranscriptFile, offset: number, signal?: AbortSignal): TranscriptBatches;
}

export type TranscriptBatches = AsyncGenerator<TranscriptBatch, void, undefined>;

export interface TranscriptBatch {
  readonly pieces: readonly TranscriptPiece[];
  /** How far the file was read, in bytes, as far as that can be told. */
  readonly offset: number;
}

/** A conversation; or a file that the agent keeps beside them and in which nobody says anything. */
export type FileRole = 'transcript' | 'beside';

export interface TranscriptFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAt: EpochMs;
}

/** A file that is to be recognised. */
export interface FileHead {
  /** With `/` between the names. */
  readonly path: string;
  /** The first bytes as text, `HEAD_BYTES` at most; read when it is asked for. */
  readonly beginning: () => string;
}

/** Enough for the first line of every agent that is known, which may hold the whole prompt of the system. */
export const HEAD_BYTES = 64 * 1024;

/** What an agent says of one conversation. Everything but the id may be missing, or be known only at its end. */
export interface TranscriptFacts {
  /** The agent's own; where it has none, it comes from the path. */
  readonly id: string;
  readonly title?: string;
  readonly workdir?: string;
  /** The one that was used last. */
  readonly model?: string;
  readonly startedAt?: EpochMs;
  readonly lastActiveAt?: EpochMs;
  readonly parentId?: string;
  readonly childKind?: ChildKind;
}

/** A message without a time has the one of the message before it. */
export type TranscriptPiece =
  | { readonly kind: 'begin'; readonly facts: TranscriptFacts }
  | { readonly kind: 'message'; readonly message: NewMessage }
  | UsagePiece
  /** A line of a kind that this version does not know. The line itself is left out. */
  | { readonly kind: 'unknown'; readonly what: string }
  | { readonly kind: 'problem'; readonly problem: Problem }
  /** The session is complete as far as the file goes. Its facts replace those of the beginning. */
  | { readonly kind: 'end'; readonly facts: TranscriptFacts }
  /** All of that was a part of a session which is told elsewhere, such as what a subagent of it said. */
  | { readonly kind: 'part'; readonly of: Pick<TranscriptFacts, 'id' | 'workdir'> };

/** What one call of a model took. */
export interface UsagePiece {
  readonly kind: 'usage';
  /** The same for the same call wherever it is told of: forks and resumed sessions repeat the calls of the one they come from. */
  readonly call: string;
  readonly report: UsageReport;
  readonly at?: EpochMs;
}
