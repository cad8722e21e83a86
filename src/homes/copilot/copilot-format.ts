import { firstLines } from '../../core/sessions/first-lines.ts';
import type { FileHead, FileRole, TranscriptFormat } from '../../core/sessions/transcript-format.ts';
import { linesOfFile, readJsonLines } from '../../platform/transcripts/read-json-lines.ts';
import { copilotTranscript } from './copilot-transcript.ts';

/** The events of a Copilot session. Its subagents speak in the same file. */
export const copilotFormat: TranscriptFormat = {
  name: 'copilot',
  title: 'Copilot CLI',
  recognise,
  read: (file, signal) => readJsonLines(file.path, linesOfFile(file.path, signal), copilotTranscript(file.path)),
};

function recognise({ path, beginning }: FileHead): FileRole | undefined {
  if (!path.endsWith('.jsonl')) return undefined;
  const [first] = firstLines(beginning(), 1);
  const isEvent = first !== undefined && typeof first['type'] === 'string' && 'data' in first && 'parentId' in first;
  return isEvent ? 'transcript' : undefined;
}
