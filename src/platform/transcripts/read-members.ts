import type { JsonValue } from '../../core/json.ts';
import type { Problem } from '../../core/problem.ts';
import type { TranscriptBatches, TranscriptFacts, TranscriptPiece } from '../../core/sessions/transcript-format.ts';
import { beginWithWords } from './begin-with-words.ts';
import type { JsonMember, JsonMembers } from './read-json-members.ts';

/** Makes sense of the values of one document, in order. */
export interface MemberTranscript {
  read(member: JsonMember, value: JsonValue): readonly TranscriptPiece[];
  rest(): readonly TranscriptPiece[];
  facts(): TranscriptFacts;
}

/** Reads a transcript that is one session and one JSON document. */
export async function* readMembers(path: string, source: JsonMembers, transcript: MemberTranscript): TranscriptBatches {
  const session = beginWithWords(transcript);
  let offset = 0;
  let ended = false;
  for await (const batch of source) {
    ({ offset, ended } = batch);
    yield { pieces: session.say(batch.members.flatMap((member) => readMember(path, member, transcript))), offset };
  }
  if (!ended) yield { pieces: session.say([{ kind: 'problem', problem: cutOff(path) }]), offset };
  yield { pieces: session.end(transcript.rest()), offset };
}

function readMember(path: string, member: JsonMember, transcript: MemberTranscript): readonly TranscriptPiece[] {
  let value: JsonValue;
  try {
    value = JSON.parse(member.text ?? '') as JsonValue;
  } catch {
    return [{ kind: 'problem', problem: unreadable(path, member) }];
  }
  return transcript.read(member, value);
}

function unreadable(path: string, { key, index, text }: JsonMember): Problem {
  const place = [key, index].filter((part) => part !== undefined).join(' ');
  const what = text === undefined ? 'is too long and was left out' : 'is not JSON';
  return { kind: 'unreadable-value', subject: path, message: `The value ${place} of ${path} ${what}.` };
}

function cutOff(path: string): Problem {
  return {
    kind: 'torn-document',
    subject: path,
    message: `${path} ends in the middle; what comes after was left for later.`,
    hint: 'Import the file again when the agent is done with it.',
  };
}
