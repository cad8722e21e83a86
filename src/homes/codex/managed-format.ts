import { Failure } from '../../core/failure.ts';
import type {
  TranscriptBatches,
  TranscriptFacts,
  TranscriptFormat,
  TranscriptPiece,
} from '../../core/sessions/transcript-format.ts';
import { codexFormat, readRollout } from './codex-format.ts';
import { rolloutName } from './codex-names.ts';
import type { ThreadNames } from './thread-names.ts';

/**
 * Reads the rollouts of a thread as one conversation. What came after the thread was taken back is told under the id of the thread, and
 * says nothing of how it began. An import makes a session of its own of it instead.
 */
export function managedFormat(names: Pick<ThreadNames, 'of'>): TranscriptFormat {
  return {
    ...codexFormat,
    read(file, signal) {
      const pieces = asFarAs(readRollout(file.path, { nameOf: names.of, signal }), file.path);
      const { thread, rollout } = rolloutName(file.path);
      return rollout === undefined ? pieces : laterPart(pieces, thread);
    },
  };
}

/** A compressed rollout that is damaged says what it can. An import refuses it instead. */
async function* asFarAs(batches: TranscriptBatches, subject: string): TranscriptBatches {
  try {
    yield* batches;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    yield {
      pieces: [{ kind: 'problem', problem: { kind: 'unreadable', subject, message: error.message } }],
      offset: 0,
    };
  }
}

async function* laterPart(batches: TranscriptBatches, thread: string): TranscriptBatches {
  for await (const { pieces, offset } of batches)
    yield { pieces: pieces.map((piece) => ofThread(piece, thread)), offset };
}

function ofThread(piece: TranscriptPiece, id: string): TranscriptPiece {
  return piece.kind === 'begin' || piece.kind === 'end' ? { ...piece, facts: laterFacts(piece.facts, id) } : piece;
}

/** What only the end of a thread tells. */
export function laterFacts({ workdir, model, lastActiveAt }: TranscriptFacts, id: string): TranscriptFacts {
  return {
    id,
    ...(workdir !== undefined && { workdir }),
    ...(model !== undefined && { model }),
    ...(lastActiveAt !== undefined && { lastActiveAt }),
  };
}
