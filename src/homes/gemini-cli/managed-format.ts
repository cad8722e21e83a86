import type { TranscriptFormat } from '../../core/sessions/transcript-format.ts';
import { withoutFrame } from '../../platform/transcripts/without-frame.ts';
import { geminiFormat } from './gemini-format.ts';
import { isChat } from './gemini-places.ts';

/** The chats of a session as one conversation: what subagents said comes last. An import makes sessions of their own of them instead. */
export const managedFormat: TranscriptFormat = {
  ...geminiFormat,
  read(file, signal) {
    const pieces = geminiFormat.read(file, signal);
    return isChat(file.path.split('/').slice(-4).join('/')) ? pieces : withoutFrame(pieces);
  },
};
