import type { SearchedBatch } from '../../../core/sessions/searched-home.ts';
import type { TranscriptBatches } from '../../../core/sessions/transcript-format.ts';

/** The messages of a transcript alone. */
export async function* messagesIn(batches: TranscriptBatches): AsyncGenerator<SearchedBatch> {
  for await (const { pieces, offset } of batches) {
    yield { messages: pieces.flatMap((piece) => (piece.kind === 'message' ? [piece.message] : [])), offset };
  }
}
