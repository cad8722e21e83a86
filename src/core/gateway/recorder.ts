import type { SessionSize, UsageReport } from '../sessions/session.ts';
import type { Verdict } from './gateway.ts';
import type { Once } from './once.ts';
import type { UsageNote } from './spend-book.ts';

/** Where a live session records what must last: durable when the promise resolves. */
export interface Recorder {
  /** How large the session is by now, through whomever it grew; undefined when it is gone. */
  size(): Promise<SessionSize | undefined>;
  usage(added: UsageReport, note: UsageNote, once?: Once): Promise<void>;
  /** Ends the session: no process adds to it any more. */
  end(reason: string, verdict: Verdict): Promise<void>;
}
