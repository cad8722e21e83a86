import { hitDocument } from '../../app/documents/search-document.ts';
import { messageDocument } from '../../app/documents/session-document.ts';
import type { Session } from '../../app/sessions/session.ts';
import { OK, type Verdict } from '../../core/gateway/gateway.ts';
import type { Once } from '../../core/gateway/once.ts';
import type { Content, Message, NewMessage } from '../../core/sessions/message.ts';
import type { AppendReceipt } from '../../core/stores/session-writer.ts';
import { totalOf } from '../pages.ts';
import { jsonRoute } from '../route.ts';
import {
  hitListSchema,
  messageListSchema,
  messagesQuery,
  newMessagesSchema,
  receiptSchema,
  searchQuery,
} from '../schemas/session-schemas.ts';

const PAGE = 100;
/** A page ends after the message with which it grows beyond this. */
const PAGE_CHARS = 8 * 1024 * 1024;

export const messageRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/api/sessions/{id}/messages',
    scope: 'read',
    summary: 'Read messages in order: from a number, up to a number, or the last few. Pages go on with `from`.',
    query: messagesQuery,
    answer: messageListSchema,
    handle: async ({ parts: { home }, id, query: { limit = PAGE, total, ...range } }) => {
      const session = await home.sessions.open(id);
      const { messages, next } = await page(session.messages(range), limit);
      const counted = await totalOf(total, () => home.counts.messages(id, range.rewound));
      return { messages: messages.map(messageDocument), ...counted, ...(next !== undefined && { next }) };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/sessions/{id}/messages',
    scope: 'append',
    summary:
      'Add messages in order, all or none. They are on disk when the answer comes. With `expectedSeq`, the number of the last message that the client knows of (0 for none), they are refused when another came in between. `verdict` is there when limits, budgets or guards have something to say of a session that answers a key: one that is told to reset or stop has ended with these messages and refuses the next; at `reset`, resolve the key again.',
    body: newMessagesSchema,
    answer: receiptSchema,
    status: 201,
    location: ({ firstSeq }, id) => `/api/sessions/${encodeURIComponent(id)}/messages?from=${firstSeq}`,
    repeat: 'noted',
    handle: async ({ parts, id, body, once }) => {
      const session = await parts.sessions.open(id);
      const { messages, expectedSeq } = body;
      const receipt: Receipt & { readonly verdict?: Verdict } = parts.sessions.isAnswering(id)
        ? await parts.home.gateway.append(id, messages, { expectedSeq, once })
        : await append(session, { messages, expectedSeq, once });
      const { firstSeq, lastSeq, problems, verdict = OK } = receipt;
      if (once?.isKnown !== true) await parts.news.added(id, messages.length, lastSeq);
      return verdict.kind === 'ok' ? { firstSeq, lastSeq, problems } : { firstSeq, lastSeq, problems, verdict };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/search',
    scope: 'read',
    summary: 'Find sessions by words, "exact phrases" and -words to leave out. Best first.',
    cost: 50,
    query: searchQuery,
    answer: hitListSchema,
    handle: async ({ parts: { home }, query: { q, ...rest } }) => ({
      sessions: (await home.sessions.search({ text: q, ...rest })).map(hitDocument),
    }),
  }),
] as const;

/** A request holds no more than one transaction does, so its messages are stored together and bear numbers in a row. */
function append(session: Session, { messages, expectedSeq, once }: NewMessages): Promise<Receipt> {
  const [only] = messages;
  if (expectedSeq !== undefined || once !== undefined) return session.appendAfter(expectedSeq, messages, once);
  if (messages.length === 1 && only !== undefined) return session.append(only);
  return appendAll(session, messages);
}

async function appendAll(session: Session, messages: readonly NewMessage[]): Promise<Receipt> {
  const { count, lastSeq = 0, ...rest } = await session.appendAll(messages);
  return { firstSeq: lastSeq - count + 1, lastSeq, ...rest };
}

interface NewMessages {
  readonly messages: readonly NewMessage[];
  readonly expectedSeq: number | undefined;
  readonly once: Once | undefined;
}

type Receipt = Pick<AppendReceipt, 'firstSeq' | 'lastSeq' | 'problems'>;

async function page(all: AsyncIterable<Message>, limit: number): Promise<{ messages: Message[]; next?: number }> {
  const messages: Message[] = [];
  let chars = 0;
  for await (const message of all) {
    if (messages.length === limit || chars > PAGE_CHARS) return { messages, next: message.seq };
    messages.push(message);
    chars += lengthOf(message.content);
  }
  return { messages };
}

function lengthOf(content: Content): number {
  return typeof content === 'string' ? content.length : JSON.stringify(content).length;
}
