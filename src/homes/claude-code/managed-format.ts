import { basename } from 'node:path';
import type { TranscriptFormat } from '../../core/sessions/transcript-format.ts';
import { withoutFrame } from '../../platform/transcripts/without-frame.ts';
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
