import { basename } from 'node:path';
import { firstLines } from '../../core/sessions/first-lines.ts';
import type {
  FileHead,
  FileRole,
  TranscriptFile,
  TranscriptBatches,
  TranscriptFormat,
} from '../../core/sessions/transcript-format.ts';
import { linesOfFile, readJsonLines } from '../../platform/transcripts/read-json-lines.ts';
import { geminiTranscript } from './gemini-transcript.ts';
import { readOldChat } from './read-old-chat.ts';

/** The chats of Gemini CLI: records that may replace each other, or in older versions one document. */
export const geminiFormat: TranscriptFormat = { name: 'gemini-cli', title: 'Gemini CLI', recognise, read };

function recognise({ path, beginning }: FileHead): FileRole | undefined {
  const name = basename(path);
  if (name.endsWith('.jsonl')) {
    const [header] = firstLines(beginning(), 1);
    return header !== undefined && 'projectHash' in header && 'sessionId' in header ? 'transcript' : undefined;
  }
  if (/^session-.*\.json$/.test(name) && /\/chats\//.test(path)) {
    return /^\s*\{\s*"sessionId"/.test(beginning()) ? 'transcript' : undefined;
  }
  if (!/\/tmp\/[^/]+\/(?:logs|checkpoint-[^/]*|checkpoints\/[^/]+)\.json$/.test(path)) return undefined;
  return /"(?:sessionId|role|history|commitHash|toolCall)"/.test(beginning()) ? 'beside' : undefined;
}

function read({ path }: TranscriptFile, signal?: AbortSignal): TranscriptBatches {
  const transcript = geminiTranscript(path);
  return path.endsWith('.json')
    ? readOldChat(path, transcript, signal)
    : readJsonLines(path, linesOfFile(path, signal), transcript);
}
