import { basename } from 'node:path';
import type {
  FileHead,
  FileRole,
  TranscriptFile,
  TranscriptBatches,
  TranscriptFormat,
} from '../../core/sessions/transcript-format.ts';
import { linesOfFile, readJsonLines } from '../../platform/transcripts/read-json-lines.ts';
import { linesOfZstd } from '../../platform/transcripts/read-zstd-lines.ts';
import { CODEX, threadName } from './codex-names.ts';
import { codexTranscript, type NameOf } from './codex-transcript.ts';

/** The rollouts of Codex, plain or compressed: one file per thread, and one more after each time it was taken back. */
export const codexFormat: TranscriptFormat = {
  name: CODEX,
  title: 'Codex',
  recognise,
  read,
};

function recognise({ path, beginning }: FileHead): FileRole | undefined {
  const name = basename(path);
  if (/^rollout-.+\.jsonl\.zst$/.test(name)) return 'transcript';
  if (!name.endsWith('.jsonl')) return undefined;
  const text = beginning();
  if (/^[^\n]{0,200}"type": ?"session_meta"/.test(text)) return 'transcript';
  if (name === 'session_index.jsonl' && /^\{[^\n]*"thread_name"/.test(text)) return 'beside';
  if (name === 'history.jsonl' && /^\{"session_id":[^\n]*"ts":/.test(text)) return 'beside';
  // The first versions had no types around what was said, but named their files as they do today.
  return name.startsWith('rollout-') && /^\{[^\n]*"(?:id|type)":/.test(text) ? 'transcript' : undefined;
}

function read({ path }: TranscriptFile, signal?: AbortSignal): TranscriptBatches {
  return readRollout(path, { nameOf: (thread) => threadName(path, thread), signal });
}

export interface ReadOptions {
  /** The name that a person gave to a thread. */
  readonly nameOf: NameOf;
  readonly signal?: AbortSignal | undefined;
}

/** Everything that one rollout tells. */
export function readRollout(path: string, { nameOf, signal }: ReadOptions): TranscriptBatches {
  const lines = path.endsWith('.zst') ? linesOfZstd(path, signal) : linesOfFile(path, signal);
  return readJsonLines(path, lines, codexTranscript(path, nameOf));
}
