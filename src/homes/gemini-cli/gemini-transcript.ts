import { basename, dirname, join } from 'node:path';
import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import type { NewMessage } from '../../core/sessions/message.ts';
import { objectOf, objectsOf, textOf } from '../../core/sessions/message-parts.ts';
import type { TranscriptPiece } from '../../core/sessions/transcript-format.ts';
import { startNotes, type TranscriptNotes } from '../../core/sessions/transcript-notes.ts';
import { readBeginning } from '../../platform/transcripts/read-beginning.ts';
import type { LineTranscript } from '../../platform/transcripts/read-json-lines.ts';
import { geminiMessages } from './gemini-messages.ts';
import { geminiUsage } from './gemini-usage.ts';

/**
 * Reads one chat. A record with the id of an earlier one replaces it, so the newest is held back until another one follows; a list
 * that replaces the whole chat adds only what was not said before, because what it leaves out was said all the same.
 */
export function geminiTranscript(path: string): LineTranscript {
  const notes = startNotes(basename(path).replace(/\.jsonl?$/, ''));
  placeOf(path, notes);
  const seen = new Set<string>();
  const messages = geminiMessages();
  const usage = geminiUsage();
  let held: JsonObject | undefined;
  const say = (found: readonly NewMessage[]): TranscriptPiece[] => {
    for (const message of found) notes.saw(message);
    return found.map((message) => ({ kind: 'message', message }));
  };
  const release = (): TranscriptPiece[] => {
    const record = held;
    held = undefined;
    if (record === undefined) return [];
    const used = usage.take(record);
    return [...say(messages.of(record)), ...used];
  };
  const record = (line: JsonObject): TranscriptPiece[] => {
    const id = textOf(line['id']) ?? '';
    const before = held !== undefined && held['id'] !== line['id'] ? release() : [];
    held = line;
    seen.add(id);
    return before;
  };
  return {
    read(line) {
      if ('sessionId' in line && !('type' in line)) takeHeader(line, notes);
      else if (objectOf(line['$set']) !== undefined) return listed(objectOf(line['$set']) ?? {});
      else if (typeof line['type'] === 'string') return record(line);
      else if (line['$rewindTo'] === undefined) return [{ kind: 'unknown', what: Object.keys(line)[0] ?? 'empty' }];
      return [];
    },
    rest: release,
    facts: () => notes.facts(),
  };

  function listed(set: JsonObject): TranscriptPiece[] {
    notes.name(0, textOf(set['summary']));
    notes.sawTime(readTime(set['lastUpdated'] ?? null));
    const fresh = objectsOf(set['messages']).filter(({ id }) => !seen.has(textOf(id) ?? ''));
    return fresh.length === 0 ? [] : [...fresh.flatMap(record), ...release()];
  }
}

function takeHeader(line: JsonObject, notes: TranscriptNotes): void {
  notes.id ??= textOf(line['sessionId']);
  notes.sawTime(readTime(line['startTime'] ?? null));
  notes.sawTime(readTime(line['lastUpdated'] ?? null));
  notes.name(0, textOf(line['summary']));
  const [folder] = Array.isArray(line['directories']) ? line['directories'] : [];
  notes.workdir ??= textOf(folder);
}

/** `chats` lies in the folder of a project, which says where the project is; a subagent in a folder named after its parent. */
function placeOf(path: string, notes: TranscriptNotes): void {
  const folder = dirname(path);
  const isSubagent = basename(folder) !== 'chats' && basename(dirname(folder)) === 'chats';
  if (isSubagent) notes.parent = { id: basename(folder), kind: 'subagent' };
  const chats = isSubagent ? dirname(folder) : folder;
  if (basename(chats) === 'chats')
    notes.workdir = textOf(readBeginning(join(dirname(chats), '.project_root'), 4096)?.trim());
}
