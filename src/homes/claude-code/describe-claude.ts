import { join } from 'node:path';
import { firstLines } from '../../core/sessions/first-lines.ts';
import { HEAD_BYTES, type TranscriptFacts } from '../../core/sessions/transcript-format.ts';
import type { FoundSession } from '../../keeping/file-home/file-agent.ts';
import { readSlice } from '../../platform/transcripts/read-slice.ts';
import { claudeTranscript } from './claude-transcript.ts';

/** What the beginning and the end of a session's conversation say of it. What lies between may be gigabytes. */
export function describeClaude(home: string, session: FoundSession): TranscriptFacts {
  const { id, parentId } = session;
  const [main] = session.transcripts;
  if (main === undefined) return { id };
  const path = join(home, main.path);
  const head = readSlice(path, { bytes: HEAD_BYTES });
  const isAll = head.sizeBytes <= HEAD_BYTES;
  const tail = isAll ? undefined : wholeLines(readSlice(path, { from: 'end', bytes: HEAD_BYTES }).text);
  const begun = factsOf(path, [head.text]);
  const { parentId: named, childKind, ...facts } = tail === undefined ? begun : factsOf(path, [head.text, tail]);
  // Where the end tells no time, as in the middle of an image, the last one known is of the beginning.
  const ended = tail === undefined ? begun : factsOf(path, [tail]);
  const lastActiveAt = ended.lastActiveAt ?? main.modifiedAt;
  const parent = named ?? parentId;
  return {
    ...facts,
    ...(begun.startedAt !== undefined && { startedAt: Math.min(begun.startedAt, lastActiveAt) }),
    id,
    lastActiveAt,
    ...(parent !== undefined && { parentId: parent, childKind: childKind ?? 'branch' }),
  };
}

function factsOf(path: string, texts: readonly string[]): TranscriptFacts {
  const transcript = claudeTranscript(path);
  for (const text of texts) for (const line of firstLines(text, Number.POSITIVE_INFINITY)) transcript.read(line);
  return transcript.facts();
}

/** Without the line that was begun before. */
function wholeLines(text: string): string {
  return text.slice(text.indexOf('\n') + 1);
}
