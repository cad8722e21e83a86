import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { TranscriptBatches } from '../../core/sessions/transcript-format.ts';
import type { LinesDescribed } from '../../platform/transcripts/describe-lines.ts';
import type { LineTranscript } from '../../platform/transcripts/read-json-lines.ts';
import { type JsonMember, readJsonMembers } from '../../platform/transcripts/read-json-members.ts';
import { readMembers } from '../../platform/transcripts/read-members.ts';

/** Reads a chat that is one document: its fields are those of the header, its list of messages the records. */
export function readOldChat(path: string, transcript: LineTranscript, signal?: AbortSignal): TranscriptBatches {
  return readMembers(path, readJsonMembers(path, { signal }), {
    read: (member, value) => transcript.read(lineOf(member, value)),
    rest: () => transcript.rest?.() ?? [],
    facts: () => transcript.facts(),
  });
}

/** So much of a document is looked at for its first prompt. When it was used last stands before all messages. */
const MOST_BYTES = 1024 * 1024;

/** What the beginning of such a chat tells; of a short one all of it. */
export async function describeOldChat(path: string, transcript: LineTranscript): Promise<LinesDescribed> {
  let messages = 0;
  for await (const { pieces, offset } of readOldChat(path, transcript)) {
    for (const piece of pieces) {
      if (piece.kind === 'message') messages += 1;
      if (piece.kind === 'end') return { ...transcript.facts(), messageCount: messages };
    }
    if (offset >= MOST_BYTES || (offset > 0 && transcript.facts().title !== undefined)) break;
  }
  return transcript.facts();
}

function lineOf({ key = '', index }: JsonMember, value: JsonValue): JsonObject {
  if (index !== undefined && isJsonObject(value)) return value;
  if (key === 'sessionId') return { sessionId: value };
  return { $set: { [key]: value } };
}
