import { basename, dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { firstLines } from '../../core/sessions/first-lines.ts';
import { readTime } from '../../core/read-time.ts';
import { contentText, type NewMessage } from '../../core/sessions/message.ts';
import { textOf } from '../../core/sessions/message-parts.ts';
import type { TranscriptBatches } from '../../core/sessions/transcript-format.ts';
import { startNotes, type TranscriptNotes } from '../../core/sessions/transcript-notes.ts';
import { readBeginning } from '../../platform/transcripts/read-beginning.ts';
import { readJsonMembers } from '../../platform/transcripts/read-json-members.ts';
import { readMembers } from '../../platform/transcripts/read-members.ts';
import { messagesOfTurn, type ToolNames } from './cline-messages.ts';
import { readUsage } from './read-usage.ts';

/** Reads one task. What was paid stands in the messages of its window, which lie beside the talk. */
export async function* readTask(path: string, signal?: AbortSignal): TranscriptBatches {
  const folder = dirname(path);
  const notes = startNotes(basename(folder));
  describe(folder, notes);
  const usage = await readUsage(join(folder, 'ui_messages.json'), notes.id ?? basename(folder), signal);
  notes.model = usage.model;
  for (const at of usage.times) notes.sawTime(at);
  const names: ToolNames = new Map();
  let firstAt = usage.times[0];
  yield* readMembers(path, readJsonMembers(path, { signal }), {
    read(_member, value) {
      if (!isJsonObject(value)) return [];
      return messagesOfTurn(value, names).map((message) => {
        // Only the newer ones note a moment; the others take that of the task, so that they do not look as new as the file.
        const timed = message.at === undefined && firstAt !== undefined ? { ...message, at: firstAt } : message;
        firstAt = undefined;
        if (timed.role === 'user') notes.name(1, taskOf(timed));
        notes.saw(timed);
        return { kind: 'message', message: timed };
      });
    },
    rest: () => usage.pieces,
    facts: () => notes.facts(),
  });
}

/** What was asked at first stands between marks, before what the program adds about the surroundings. */
function taskOf({ content }: NewMessage): string | undefined {
  return /<task>\s*([^]*?)\s*<\/task>/.exec(contentText(content))?.[1];
}

/** Ids of older tasks are the moment at which they began. */
function describe(folder: string, notes: TranscriptNotes): void {
  if (/^\d{13}$/.test(basename(folder))) notes.sawTime(Number(basename(folder)));
  const item: JsonObject =
    firstLines(readBeginning(join(folder, 'history_item.json'), MAX_ITEM)?.replaceAll('\n', ' ') ?? '', 1)[0] ?? {};
  notes.workdir = textOf(item['workspace']) ?? textOf(item['cwdOnTaskInitialization']);
  notes.name(0, textOf(item['task']));
  notes.sawTime(readTime(item['ts'] ?? null));
  const parent = textOf(item['parentTaskId']);
  if (parent !== undefined) notes.parent = { id: parent, kind: 'subagent' };
}

const MAX_ITEM = 256 * 1024;
