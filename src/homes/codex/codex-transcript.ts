import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import type { NewMessage } from '../../core/sessions/message.ts';
import { compactionMessage, errorMessage, objectOf, takeOut, textOf } from '../../core/sessions/message-parts.ts';
import type { TranscriptPiece } from '../../core/sessions/transcript-format.ts';
import { startNotes, type TranscriptNotes } from '../../core/sessions/transcript-notes.ts';
import type { LineTranscript } from '../../platform/transcripts/read-json-lines.ts';
import { messageOfItem, type ToolNames, told } from './codex-items.ts';
import { rolloutName } from './codex-names.ts';
import { codexUsage } from './codex-usage.ts';

/** Kinds of lines that describe the surroundings of the talk. What events tell of is told by the items of the talk, too. */
const SILENT = new Set(['world_state', 'inter_agent_communication', 'ghost_snapshot']);

/** Gives the name that a person gave to a thread. */
export type NameOf = (thread: string) => string | undefined;

/** Reads one rollout. A fork holds only what is its own: what came before stands in the thread that it names as its parent. */
export function codexTranscript(path: string, nameOf: NameOf): LineTranscript {
  const { thread, rollout } = rolloutName(path);
  const notes = startNotes(rollout ?? thread);
  const usage = codexUsage();
  const names: ToolNames = new Map();
  let described = false;
  const say = (message: NewMessage | undefined): TranscriptPiece[] => {
    if (message === undefined) return [];
    notes.saw(message);
    return [{ kind: 'message', message }];
  };
  return {
    read(line) {
      const payload = objectOf(line['payload']) ?? line;
      const type = textOf(line['type']) ?? textOf(line['record_type']) ?? '';
      switch (type) {
        case 'session_meta':
          if (!described) takeMeta(payload, notes, { rollout, nameOf });
          described = true;
          return [];
        case 'turn_context':
          notes.model = textOf(payload['model']) ?? notes.model;
          return [];
        case 'event_msg':
          return [...usage.event(line, notes.model), ...say(errorOf(line, payload))];
        case 'token_usage_record':
          return usage.record(line, notes.model);
        case 'compacted':
          takeOut(payload, 'replacement_history');
          return say(compactionMessage(textOf(takeOut(payload, 'message')) ?? '', told(line)));
        default:
          return SILENT.has(type) ? [] : item(line, payload);
      }
    },
    facts: () => notes.facts(),
  };

  function item(line: JsonObject, payload: JsonObject): readonly TranscriptPiece[] {
    if (payload === line && !described) {
      // The first line of the first versions, and what they note of their own state.
      if (line['record_type'] !== undefined) return [];
      if (line['type'] === undefined) {
        notes.sawTime(readTime(line['timestamp'] ?? null));
        notes.id ??= textOf(line['id']);
        return [];
      }
    }
    const found = messageOfItem(line, payload, names);
    return found === 'unknown' ? [{ kind: 'unknown', what: textOf(line['type']) ?? 'without a type' }] : say(found);
  }
}

interface Place {
  readonly nameOf: NameOf;
  readonly rollout: string | undefined;
}

function takeMeta(meta: JsonObject, notes: TranscriptNotes, { rollout, nameOf }: Place): void {
  const thread = textOf(meta['id']) ?? textOf(meta['session_id']);
  notes.id = rollout ?? thread;
  notes.workdir = textOf(meta['cwd']);
  notes.sawTime(readTime(meta['timestamp'] ?? null));
  const spawned = textOf(meta['parent_thread_id']) ?? spawnedBy(meta);
  const forked = textOf(meta['forked_from_id']) ?? (rollout === undefined ? undefined : thread);
  if (spawned !== undefined) notes.parent = { id: spawned, kind: 'subagent' };
  else if (forked !== undefined) notes.parent = { id: forked, kind: 'branch' };
  if (thread !== undefined) notes.name(0, nameOf(thread));
}

function spawnedBy({ source }: JsonObject): string | undefined {
  const spawn = objectOf(objectOf(objectOf(source)?.['subagent'])?.['thread_spawn']);
  return textOf(spawn?.['parent_thread_id']);
}

/** A turn that failed or was interrupted. */
function errorOf(line: JsonObject, { type, error, message, reason }: JsonObject): NewMessage | undefined {
  if (type === 'error' || type === 'stream_error') return errorMessage(textOf(message) ?? 'error', told(line));
  if (type === 'turn_aborted')
    return errorMessage(`The turn was stopped: ${textOf(reason) ?? 'no reason given'}`, told(line));
  const words = type === 'task_complete' ? textOf(objectOf(error)?.['message']) : undefined;
  return words === undefined ? undefined : errorMessage(words, told(line));
}
