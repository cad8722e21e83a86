import { basename, join } from 'node:path';
import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { firstLines } from '../../core/sessions/first-lines.ts';
import { contentText, type NewMessage } from '../../core/sessions/message.ts';
import { textOf } from '../../core/sessions/message-parts.ts';
import { startNotes, type TranscriptNotes } from '../../core/sessions/transcript-notes.ts';
import { readBeginning } from '../../platform/transcripts/read-beginning.ts';
import { ITEM } from './task-head.ts';

const MAX_ITEM = 256 * 1024;

/** What the name of a task's folder and the note in it say. Ids of older tasks are the moment at which they began. */
export function startTaskNotes(folder: string): TranscriptNotes {
  const notes = startNotes(basename(folder));
  if (/^\d{13}$/.test(basename(folder))) notes.sawTime(Number(basename(folder)));
  const item: JsonObject =
    firstLines(readBeginning(join(folder, ITEM), MAX_ITEM)?.replaceAll('\n', ' ') ?? '', 1)[0] ?? {};
  notes.workdir = textOf(item['workspace']) ?? textOf(item['cwdOnTaskInitialization']);
  notes.name(0, textOf(item['task']));
  notes.sawTime(readTime(item['ts'] ?? null));
  const parent = textOf(item['parentTaskId']);
  if (parent !== undefined) notes.parent = { id: parent, kind: 'subagent' };
  return notes;
}

/** What was asked at first stands between marks, before what the program adds about the surroundings. */
export function askedIn(text: string): string | undefined {
  return /<task>\s*([^]*?)\s*<\/task>/.exec(text)?.[1];
}

export function taskOf({ content }: NewMessage): string | undefined {
  return askedIn(contentText(content));
}
