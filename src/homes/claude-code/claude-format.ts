import { basename } from 'node:path';
import { firstLines } from '../../core/sessions/first-lines.ts';
import type { FileHead, FileRole, TranscriptFormat } from '../../core/sessions/transcript-format.ts';
import { linesOfFile, readAddedLines, readJsonLines } from '../../platform/transcripts/read-json-lines.ts';
import { claudeTranscript } from './claude-transcript.ts';

/** The transcripts below `projects` of a Claude Code home: one file per session and one per subagent. */
export const claudeFormat: TranscriptFormat = {
  name: 'claude-code',
  title: 'Claude Code',
  recognise,
  read: (file, signal) => readJsonLines(file.path, linesOfFile(file.path, signal), claudeTranscript(file.path)),
  readFrom: (file, from, signal) =>
    readAddedLines(file.path, linesOfFile(file.path, signal, from), claudeTranscript(file.path)),
};

function recognise({ path, beginning }: FileHead): FileRole | undefined {
  if (!path.endsWith('.jsonl')) return undefined;
  const lines = firstLines(beginning());
  if (basename(path) === 'history.jsonl' && lines.some((line) => 'display' in line && 'project' in line))
    return 'beside';
  if (basename(path) === 'journal.jsonl' && /\/subagents\/[^/]+$/.test(path)) return 'beside';
  // Every line of a session names it; those about file history do not, and may come first.
  const own = lines.some(
    ({ type, sessionId, parentSessionId, messageId }) =>
      typeof type === 'string' &&
      (typeof sessionId === 'string' || typeof parentSessionId === 'string' || typeof messageId === 'string'),
  );
  return own && !lines.some((line) => 'data' in line || 'payload' in line) ? 'transcript' : undefined;
}
