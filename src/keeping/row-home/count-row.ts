import type { Message } from '../../core/sessions/message.ts';
import type { TranscriptPiece } from '../../core/sessions/transcript-format.ts';
import { readGuest } from '../../platform/sqlite/guest-database.ts';
import type { FoundRow, RowAgent } from './row-agent.ts';

/** What only a reading of all of a session tells. */
export interface RowCount {
  readonly messageCount: number;
  readonly toolCallCount: number;
}

export async function countRow(agent: RowAgent, row: FoundRow): Promise<RowCount> {
  let [messageCount, toolCallCount] = [0, 0];
  for await (const pieces of rowPieces(agent, row)) {
    for (const piece of pieces) {
      if (piece.kind !== 'message') continue;
      messageCount += 1;
      toolCallCount += piece.message.toolCalls?.length ?? 0;
    }
  }
  return { messageCount, toolCallCount };
}

/** Its messages, numbered from 1. */
export async function* rowMessages(agent: RowAgent, row: FoundRow): AsyncGenerator<Message> {
  let seq = 0;
  let at = row.startedAt;
  for await (const pieces of rowPieces(agent, row)) {
    for (const piece of pieces) {
      if (piece.kind !== 'message') continue;
      seq += 1;
      at = piece.message.at ?? at;
      yield { ...piece.message, seq, at };
    }
  }
}

/** All that is said in it. Whoever reads slowly holds nothing open. */
async function* rowPieces(agent: RowAgent, { database, id }: FoundRow): AsyncGenerator<readonly TranscriptPiece[]> {
  let after: string | undefined;
  do {
    const mark: string | undefined = after;
    const page = await readGuest(database, async (guest) => agent.page(guest, id, mark));
    yield page.pieces;
    after = page.next;
  } while (after !== undefined);
}
