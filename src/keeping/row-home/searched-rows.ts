import type { Message } from '../../core/sessions/message.ts';
import type { SearchedBatch, SearchedSession } from '../../core/sessions/searched-home.ts';
import { rowMessages } from './count-row.ts';
import type { FoundRow } from './row-agent.ts';
import { rowFacts, type RowTelling } from './row-facts.ts';
import type { Rows } from './rows.ts';

/** The conversations of a home whose sessions are rows, for an index over them. One that changed is read as a whole. */
export async function searchedRows(
  rows: Rows,
  telling: RowTelling,
  signal?: AbortSignal,
): Promise<readonly SearchedSession[]> {
  const { sessions } = await rows.look(signal);
  return sessions.map((row) => searchedRow(rows, telling, row));
}

function searchedRow({ agent }: Rows, telling: RowTelling, row: FoundRow): SearchedSession {
  const { id, title, lastActiveAt, messageRows, rowBytes } = row;
  return {
    id,
    stamp: JSON.stringify([lastActiveAt, messageRows, rowBytes, title]),
    lastActiveAt,
    archived: false,
    parts: [
      {
        name: 'rows',
        stamp: { sizeBytes: rowBytes, modifiedAt: lastActiveAt, inode: messageRows },
        read: () => inBatches(rowMessages(agent, row)),
        markAt: async () => undefined,
      },
    ],
    facts: async () => rowFacts(telling, row),
  };
}

const MESSAGES_AT_ONCE = 50;

async function* inBatches(all: AsyncIterable<Message>): AsyncGenerator<SearchedBatch> {
  let messages: Message[] = [];
  for await (const message of all) {
    messages.push(message);
    if (messages.length < MESSAGES_AT_ONCE) continue;
    yield { messages, offset: 0 };
    messages = [];
  }
  yield { messages, offset: 0 };
}
