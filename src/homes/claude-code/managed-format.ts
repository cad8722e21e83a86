import { basename } from 'node:path';
import type { TranscriptBatches, TranscriptFormat } from '../../core/sessions/transcript-format.ts';
import { claudeFormat } from './claude-format.ts';

/**
 * Reads the files of a session as one conversation: what subagents said comes after what was said with people, and says nothing of the
 * session itself, such as a title. An import makes sessions of their own of them instead.
 */
export const managedFormat: TranscriptFormat = {
  ...claudeFormat,
  read(file, signal) {
    const pieces = claudeFormat.read(file, signal);
    return basename(file.path).startsWith('agent-') ? withoutFrame(pieces) : pieces;
  },
};

async function* withoutFrame(batches: TranscriptBatches): TranscriptBatches {
  for await (const { pieces, offset } of batches) {
    yield { pieces: pieces.filter(({ kind }) => kind !== 'begin' && kind !== 'end'), offset };
  }
}
