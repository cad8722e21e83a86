import { dirname, join } from 'node:path';
import type { JsonValue } from '../../core/json.ts';
import { objectsOf, textOf } from '../../core/sessions/message-parts.ts';
import { HEAD_BYTES } from '../../core/sessions/transcript-format.ts';
import type { DescribedSession, FoundSession } from '../../keeping/file-home/file-agent.ts';
import { type FileSlice, readSlice } from '../../platform/transcripts/read-slice.ts';
import { messagesOfTurn, type ToolNames } from './cline-messages.ts';
import { askedIn, startTaskNotes } from './task-notes.ts';

/** What the note of a task and the beginning of its talk say of it. Pictures in the talk may be of any size. */
export async function describeTask(home: string, session: FoundSession): Promise<DescribedSession> {
  const [talk] = session.transcripts;
  const path = join(home, talk?.path ?? '');
  const slice = readSlice(path, { bytes: HEAD_BYTES });
  const notes = startTaskNotes(dirname(path));
  notes.sawTime(talk?.modifiedAt);
  notes.name(1, firstWords(slice.text));
  const messageCount = countIn(slice);
  return { ...notes.facts(), id: session.id, ...(messageCount !== undefined && { messageCount }) };
}

/** The words of the first prompt, as far as they stand at the beginning of the file. */
function firstWords(beginning: string): string | undefined {
  const words = textOf(parsed(/"(?:text|content)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(beginning)?.[1]));
  return words === undefined ? undefined : (askedIn(words) ?? words);
}

/** Of a talk that was read to its end. */
function countIn({ text, sizeBytes }: FileSlice): number | undefined {
  const turns = sizeBytes > HEAD_BYTES ? undefined : parsed(text);
  if (!Array.isArray(turns)) return undefined;
  const names: ToolNames = new Map();
  return objectsOf(turns).reduce((sum, turn) => sum + messagesOfTurn(turn, names).length, 0);
}

/** Undefined for what is damaged: half a letter may stand where it was cut. */
function parsed(text: string | undefined): JsonValue | undefined {
  try {
    return JSON.parse(text ?? '') as JsonValue;
  } catch {
    return undefined;
  }
}
