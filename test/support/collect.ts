import type { Problem } from '../../src/core/problem.ts';
import type { Message, NewMessage } from '../../src/core/sessions/message.ts';
import type { MessageRange } from '../../src/core/sessions/session-reader.ts';
import type { SessionStore } from '../../src/core/sessions/session-store.ts';

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
