import type { Message } from '../core/sessions/message.ts';
import type { MessageRange } from '../core/stores/session-reader.ts';

/** Those of all messages of a session, in their order, that a range asks for. */
export async function* messagesInRange(all: AsyncIterable<Message>, range: MessageRange): AsyncGenerator<Message> {
  const wanted = range.last === undefined ? all : await newest(all, range.last);
  for await (const message of wanted) {
    if (message.seq > (range.to ?? Number.POSITIVE_INFINITY)) return;
    if (message.seq >= (range.from ?? 1)) yield message;
  }
}

async function newest(all: AsyncIterable<Message>, count: number): Promise<Message[]> {
  const kept: Message[] = [];
  for await (const message of all) {
    kept.push(message);
    if (kept.length > count) kept.shift();
  }
  return kept;
}
