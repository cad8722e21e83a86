import { type SessionFacts, type SessionSize, sessionBytes } from '../../src/core/sessions/session.ts';

/** How large a session is by its facts. */
export function sessionSize(session: SessionFacts): SessionSize {
  return { messages: session.messageCount, bytes: sessionBytes(session) };
}
