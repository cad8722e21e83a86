import { NO_USAGE } from '../../core/sessions/session.ts';
import type { TranscriptFacts, TranscriptPiece, UsagePiece } from '../../core/sessions/transcript-format.ts';
import type { CountedCall, ReadUsage } from '../../core/stores/usage-book.ts';
import type { EpochMs } from '../../core/time.ts';

/** Gathers the calls that a transcript tells of, session by session. */
export interface CallNotes {
  take(pieces: readonly TranscriptPiece[]): readonly ReadUsage[];
}

/** So many calls are given at a time. */
const MOST_CALLS = 400;
const NANO = 1e9;

/** `fileAt` is when the file was written, for calls of which nobody says when they were. */
export function createCallNotes(agent: string, fileAt: EpochMs): CallNotes {
  let facts: TranscriptFacts | undefined;
  let calls: CountedCall[] = [];
  return {
    take(pieces) {
      const read: ReadUsage[] = [];
      for (const piece of pieces) {
        if (piece.kind === 'begin') facts = piece.facts;
        if (piece.kind === 'usage') calls.push(countedCall(piece, facts?.lastActiveAt ?? facts?.startedAt ?? fileAt));
        if (piece.kind === 'end') read.push(given(piece.facts));
        else if (piece.kind === 'part') read.push(given(piece.of));
        else if (calls.length >= MOST_CALLS && facts !== undefined) read.push(given(facts));
      }
      return read;
    },
  };

  function given({ id, workdir }: Pick<TranscriptFacts, 'id' | 'workdir'>): ReadUsage {
    const session = { agent, id, ...(workdir !== undefined && { project: workdir }) };
    const read: ReadUsage = { kind: 'calls', session, calls };
    calls = [];
    return read;
  }
}

/** Agents that know no price of a model say that it cost nothing. */
function countedCall({ call, report, at }: UsagePiece, otherwiseAt: EpochMs): CountedCall {
  const { model, costUsd, ...tokens } = { ...NO_USAGE, ...report };
  const nanoUsd = costUsd > 0 ? Math.round(costUsd * NANO) : undefined;
  return { ...tokens, call, model, at: Math.floor(at ?? otherwiseAt), nanoUsd };
}
