import { isJsonObject } from '../../core/json.ts';
import { objectOf, objectsOf } from '../../core/sessions/message-parts.ts';
import type { TranscriptBatches } from '../../core/sessions/transcript-format.ts';
import { readJsonMembers } from '../../platform/transcripts/read-json-members.ts';
import { readMembers } from '../../platform/transcripts/read-members.ts';
import { opencodeSession } from './opencode-session.ts';

/** Reads what `opencode export` prints: the session, then its messages, in one document. */
export function readExported(path: string, signal?: AbortSignal): TranscriptBatches {
  let session = opencodeSession({});
  return readMembers(path, readJsonMembers(path, { signal }), {
    read({ key, index }, value) {
      if (key === 'info' && isJsonObject(value)) session = opencodeSession(value);
      if (key !== 'messages' || index === undefined || !isJsonObject(value)) return [];
      return session.say(objectOf(value['info']) ?? {}, objectsOf(value['parts']));
    },
    rest: () => [],
    facts: () => session.facts(),
  });
}
