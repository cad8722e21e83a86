import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { TranscriptBatches } from '../../core/sessions/transcript-format.ts';
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

function lineOf({ key = '', index }: JsonMember, value: JsonValue): JsonObject {
  if (index !== undefined && isJsonObject(value)) return value;
  if (key === 'sessionId') return { sessionId: value };
  return { $set: { [key]: value } };
}
