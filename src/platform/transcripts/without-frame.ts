import type { TranscriptBatches } from '../../core/sessions/transcript-format.ts';

/** What is said in a transcript that is a part of a session, and nothing of the session itself, such as a title. */
export async function* withoutFrame(batches: TranscriptBatches): TranscriptBatches {
  for await (const { pieces, offset } of batches) {
    yield { pieces: pieces.filter(({ kind }) => kind !== 'begin' && kind !== 'end'), offset };
  }
}
