import type { Problem } from '../../core/problem.ts';
import type { Message, NewMessage } from '../../core/sessions/message.ts';
import { type SessionFacts, type SessionSize, sessionBytes } from '../../core/sessions/session.ts';
import type { MessageRange } from '../../core/stores/session-reader.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';

/** A message that is only a user's words. */
export function user(content: string): NewMessage {
  return { role: 'user', content };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export function messagesOf(store: SessionStore, id: string, range?: MessageRange): Promise<Message[]> {
  return collect(store.messages(id, range));
}

/** Everything a check of the store finds wrong. */
export async function checkProblems(store: SessionStore): Promise<Problem[]> {
  return (await collect(store.check())).flatMap(({ problems }) => problems);
}

/** How large a session is by its facts. */
export function sessionSize(session: SessionFacts): SessionSize {
  return { messages: session.messageCount, bytes: sessionBytes(session) };
}
