import { basename, dirname, join } from 'node:path';
import { isJsonObject } from '../../core/json.ts';
import type { TranscriptBatches } from '../../core/sessions/transcript-format.ts';
import { readJsonMembers } from '../../platform/transcripts/read-json-members.ts';
import { readMembers } from '../../platform/transcripts/read-members.ts';
import { messagesOfTurn, type ToolNames } from './cline-messages.ts';
import { readUsage } from './read-usage.ts';
import { startTaskNotes, taskOf } from './task-notes.ts';

/** Reads one task. What was paid stands in the messages of its window, which lie beside the talk. */
export async function* readTask(path: string, signal?: AbortSignal): TranscriptBatches {
  const folder = dirname(path);
  const notes = startTaskNotes(folder);
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
