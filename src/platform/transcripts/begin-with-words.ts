import type { TranscriptFacts, TranscriptPiece } from '../../core/sessions/transcript-format.ts';

/** Puts a begin before the pieces of one session and an end after them. */
export interface SessionPieces {
  say(pieces: readonly TranscriptPiece[]): readonly TranscriptPiece[];
  end(rest: readonly TranscriptPiece[]): readonly TranscriptPiece[];
}

/** More than these are not held back. */
const MOST_HELD = 1000;

/**
 * A session begins where somebody says something: what the program tells the model before that is held back, and where nothing
 * follows it there was no session. Agents leave such files behind when they are started and closed again.
 */
export function beginWithWords(transcript: { facts(): TranscriptFacts }): SessionPieces {
  let begun = false;
  let held: TranscriptPiece[] = [];
  const say = (pieces: readonly TranscriptPiece[]): readonly TranscriptPiece[] => {
    if (begun) return pieces;
    if (!pieces.some(isSaid) && held.length < MOST_HELD) {
      for (const piece of pieces) held.push(piece);
      return [];
    }
    begun = true;
    const all: TranscriptPiece[] = [{ kind: 'begin', facts: transcript.facts() }, ...held, ...pieces];
    held = [];
    return all;
  };
  return {
    say,
    end(rest) {
      const last = say(rest);
      if (begun) return [...last, { kind: 'end', facts: transcript.facts() }];
      return held.filter(({ kind }) => kind === 'problem' || kind === 'unknown');
    },
  };
}

function isSaid(piece: TranscriptPiece): boolean {
  return piece.kind === 'message' && piece.message.role !== 'developer' && piece.message.role !== 'system';
}
