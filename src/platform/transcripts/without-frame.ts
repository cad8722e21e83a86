import type { TranscriptBatches, TranscriptPiece } from '../../core/sessions/transcript-format.ts';

/** What is said in a transcript that is a part of a session, and nothing of the session itself, such as a title. */
export async function* withoutFrame(batches: TranscriptBatches): TranscriptBatches {
  for await (const { pieces, offset } of batches) yield { pieces: pieces.flatMap(inside), offset };
}

function inside(piece: TranscriptPiece): readonly TranscriptPiece[] {
  if (piece.kind === 'begin') return [];
  if (piece.kind !== 'end') return [piece];
  const { parentId, id, workdir } = piece.facts;
  return [{ kind: 'part', of: { id: parentId ?? id, ...(workdir !== undefined && { workdir }) } }];
}
