import type { JsonObject } from '../../core/json.ts';
import { objectOf, textOf } from '../../core/sessions/message-parts.ts';
import type { TranscriptFacts, TranscriptPiece } from '../../core/sessions/transcript-format.ts';
import { startNotes, type TranscriptNotes } from '../../core/sessions/transcript-notes.ts';
import { readTime } from '../../core/read-time.ts';
import { messagesOf } from './opencode-messages.ts';
import { usageOf } from './opencode-usage.ts';

/** Makes one session of its description and its messages, wherever they come from. */
export interface OpencodeSession {
  /** What a message and its parts say. */
  say(info: JsonObject, parts: readonly JsonObject[]): readonly TranscriptPiece[];
  facts(): TranscriptFacts;
}

/** `info` is the session as opencode exports it. */
export function opencodeSession(info: JsonObject): OpencodeSession {
  const notes = startNotes(textOf(info['id']) ?? 'opencode');
  describe(info, notes);
  return {
    say(message, parts) {
      const pieces: TranscriptPiece[] = messagesOf(message, parts).map((found) => {
        notes.saw(found);
        return { kind: 'message', message: found };
      });
      const used = usageOf(message);
      return used === undefined ? pieces : [...pieces, used];
    },
    facts: () => notes.facts(),
  };
}

function describe(info: JsonObject, notes: TranscriptNotes): void {
  notes.workdir = textOf(info['directory']);
  notes.name(0, textOf(info['title']));
  const parent = textOf(info['parentID']);
  if (parent !== undefined) notes.parent = { id: parent, kind: 'subagent' };
  const time = objectOf(info['time']);
  notes.sawTime(readTime(time?.['created'] ?? null));
  notes.sawTime(readTime(time?.['updated'] ?? null));
}
