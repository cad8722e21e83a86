import type { Once } from '../gateway/once.ts';
import type { EpochMs } from '../time.ts';
import type { Message } from '../sessions/message.ts';
import type { ModelUsage, NewSession } from '../sessions/session.ts';

export interface ImportStore {
  /** Starts a session that nobody sees until `finish`. An unfinished one of the same id is dropped first. */
  begin(session: ImportedSession): Promise<void>;
  append(id: string, messages: readonly Message[], options?: ImportOptions): Promise<void>;
  /** Makes it visible with these facts. */
  finish(session: ImportedSession, options?: ImportOptions): Promise<void>;
  abandon(id: string): Promise<void>;
}

export interface ImportOptions {
  /** Whoever asks for the same again under its key changes nothing. */
  readonly once?: Once | undefined;
}

/** A session as an export describes it. Counts and sizes are found anew on import. */
export interface ImportedSession extends NewSession {
  readonly id: string;
  readonly startedAt: EpochMs;
  readonly lastActiveAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly endReason?: string;
  readonly pinned: boolean;
  readonly usageByModel: readonly ModelUsage[];
}
