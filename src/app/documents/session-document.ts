import type { Message } from '../../core/sessions/message.ts';
import { type ModelUsage, type SessionFacts, sessionBytes } from '../../core/sessions/session.ts';
import { isoTime } from '../../core/time.ts';

/** A session as programs see it, on the command line and over HTTP: ISO times, whole numbers of bytes. */
export function sessionDocument(session: SessionFacts) {
  const { startedAt, lastActiveAt, endedAt, archivedAt } = session;
  return {
    ...session,
    startedAt: isoTime(startedAt),
    lastActiveAt: isoTime(lastActiveAt),
    ...(endedAt !== undefined && { endedAt: isoTime(endedAt) }),
    ...(archivedAt !== undefined && { archivedAt: isoTime(archivedAt) }),
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
