import type { Message } from '../../core/sessions/message.ts';
import { type ModelUsage, type SessionFacts, sessionBytes } from '../../core/sessions/session.ts';
import { isoTime } from '../../core/time.ts';
import { timed } from './timed.ts';

/** A session as programs see it, on the command line and over HTTP: ISO times, whole numbers of bytes. */
export function sessionDocument(session: SessionFacts) {
  return {
    ...timed(session, 'startedAt', 'lastActiveAt', 'endedAt', 'archivedAt'),
    sizeBytes: sessionBytes(session),
  };
}

/** The same with what each model was used for. */
export function sessionDetailDocument(session: SessionFacts, usageByModel: readonly ModelUsage[]) {
  return { ...sessionDocument(session), usageByModel };
}

export function messageDocument({ at, ...rest }: Message) {
  return { ...rest, at: isoTime(at) };
}
