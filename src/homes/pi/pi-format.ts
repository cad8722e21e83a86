import { firstLines } from '../../core/sessions/first-lines.ts';
import type { FileHead, FileRole, TranscriptFormat } from '../../core/sessions/transcript-format.ts';
import { linesOfFile, readAddedLines, readJsonLines } from '../../platform/transcripts/read-json-lines.ts';
import { piTranscript } from './pi-transcript.ts';

/** The sessions of pi: a header, then entries that form a tree. */
export const piFormat: TranscriptFormat = {
  name: 'pi',
  title: 'pi',
  recognise,
  read: (file, signal) => readJsonLines(file.path, linesOfFile(file.path, signal), piTranscript(file.path)),
  readFrom: (file, from, signal) =>
    readAddedLines(file.path, linesOfFile(file.path, signal, from), piTranscript(file.path)),
};

function recognise({ path, beginning }: FileHead): FileRole | undefined {
  if (!path.endsWith('.jsonl')) return undefined;
  const [header] = firstLines(beginning(), 1);
  return header?.['type'] === 'session' && typeof header['id'] === 'string' && 'cwd' in header
    ? 'transcript'
    : undefined;
}
