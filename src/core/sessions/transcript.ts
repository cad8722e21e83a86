import type { Problem } from '../problem.ts';
import type { Message } from './message.ts';
import type { SessionFacts } from './session.ts';

/** How far a transcript file is known to be good: the last message in it and its size after that line. */
export interface TranscriptMark {
  readonly seq: number;
  readonly sizeBytes: number;
}

/** What a transcript says of its session. */
export type TranscriptSession = Pick<
  SessionFacts,
  'id' | 'source' | 'startedAt' | 'parentId' | 'childKind' | 'workdir'
>;

export interface TranscriptWrite {
  readonly session: TranscriptSession;
  /** What the store believes the file holds. */
  readonly mark: TranscriptMark;
  /** The messages just stored; none when the file is only to be put right. */
  readonly fresh: readonly Message[];
  /** Reads stored messages `from`…`to` again, for a file that fell behind. */
  readonly stored: (from: number, to: number) => Iterable<Message>;
}

export interface TranscriptWritten {
  readonly mark: TranscriptMark;
  readonly problems: readonly Problem[];
}

/**
 * The copy of a session's messages that people and tools read. The store calls it inside its write transaction, so that
 * lines of several processes never mix and always stand in order; it must be synchronous and must not throw.
 */
export interface TranscriptSink {
  write(request: TranscriptWrite): TranscriptWritten;
}
