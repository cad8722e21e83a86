import { basename } from 'node:path';
import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import type { NewMessage, ToolCall } from '../../core/sessions/message.ts';
import {
  compactionMessage,
  contentOf,
  countOf,
  moneyOf,
  objectOf,
  objectsOf,
  ownLine,
  takeOut,
  textOf,
  textPart,
} from '../../core/sessions/message-parts.ts';
import type { TranscriptPiece, UsagePiece } from '../../core/sessions/transcript-format.ts';
import { startNotes, type TranscriptNotes } from '../../core/sessions/transcript-notes.ts';
import type { LineTranscript } from '../../platform/transcripts/read-json-lines.ts';

const SILENT = new Set(['model_change', 'thinking_level_change', 'context_edit', 'label', 'custom', 'branch_summary']);

/** Reads one session of pi, all branches of its tree in the order in which they were written. Other agents write as it does. */
export function piTranscript(path: string, agent = 'pi'): LineTranscript {
  const notes = startNotes(basename(path, '.jsonl'));
  const say = (message: NewMessage): TranscriptPiece => {
    notes.saw(message);
    return { kind: 'message', message };
  };
  return {
    read(line) {
      const type = textOf(line['type']) ?? 'without a type';
      if (type === 'message') {
        const used = usageOf(line);
        return [...messageOf(line, agent).map(say), ...(used === undefined ? [] : [used])];
      }
      if (type === 'compaction')
        return [say(compactionMessage(textOf(takeOut(line, 'summary')) ?? '', told(line, agent)))];
      if (type === 'session') takeHeader(line, notes);
      else if (type === 'session_info') notes.name(0, textOf(line['name']));
      else if (!SILENT.has(type)) return [{ kind: 'unknown', what: type }];
      return [];
    },
    facts: () => notes.facts(),
  };
}

/** The parent is named by the path of its file, which ends in its id. */
function takeHeader(line: JsonObject, notes: TranscriptNotes): void {
  notes.id ??= textOf(line['id']);
  notes.workdir ??= textOf(line['cwd']);
  notes.sawTime(readTime(line['timestamp'] ?? null));
  const parent = textOf(line['parentSession']);
  const id = parent === undefined ? undefined : /([^_/\\]+?)(?:\.jsonl)?$/.exec(parent)?.[1];
  if (id !== undefined) notes.parent ??= { id, kind: 'branch' };
}

function told(line: JsonObject, agent: string): Pick<NewMessage, 'at' | 'metadata'> {
  const at = readTime(line['timestamp'] ?? null);
  return { ...(at !== undefined && { at }), metadata: ownLine(agent, line) };
}

function messageOf(line: JsonObject, agent: string): NewMessage[] {
  const inner = objectOf(line['message']);
  if (inner === undefined) return [];
  const given = takeOut(inner, 'content');
  const parts = typeof given === 'string' ? [textPart(given)] : objectsOf(given);
  const rest = told(line, agent);
  switch (textOf(inner['role']) ?? '') {
    case 'user':
      return [{ role: 'user', content: contentOf(parts), ...rest }];
    case 'system':
      return [
        {
          role: 'system',
          content: contentOf(parts.length > 0 && textOf(parts[0]?.['text']) ? parts : sections(inner)),
          ...rest,
        },
      ];
    case 'assistant':
      return [{ ...answer(inner, parts), ...rest }];
    case 'toolResult':
      return [{ ...toolResult(inner, parts), ...rest }];
    case 'bashExecution':
      return [
        {
          role: 'developer',
          content: `$ ${textOf(inner['command']) ?? ''}\n${textOf(inner['output']) ?? ''}`,
          ...rest,
        },
      ];
    default:
      return [{ role: 'developer', content: contentOf(parts), ...rest }];
  }
}

/** The prompt of the system comes in named sections. */
function sections(inner: JsonObject): JsonObject[] {
  const texts = Object.values(objectOf(inner['sections']) ?? {}).filter((text) => typeof text === 'string');
  return texts.map(textPart);
}

function answer(inner: JsonObject, parts: readonly JsonObject[]): NewMessage {
  const model = textOf(inner['model']);
  const error = textOf(inner['errorMessage']);
  const calls = parts.filter(({ type }) => type === 'toolCall').map(toolCall);
  const others = parts.filter(({ type }) => type !== 'toolCall');
  return {
    role: 'assistant',
    content: contentOf(error === undefined ? others : [...others, { type: 'error', text: error }]),
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(model !== undefined && { model }),
  };
}

function toolCall({ id, name, arguments: given }: JsonObject): ToolCall {
  return { id: textOf(id) ?? '', name: textOf(name) ?? 'unknown', arguments: given ?? null };
}

function toolResult(inner: JsonObject, parts: readonly JsonObject[]): NewMessage {
  const name = textOf(inner['toolName']);
  return {
    role: 'tool',
    content: contentOf(parts),
    toolCallId: textOf(inner['toolCallId']) ?? '',
    ...(name !== undefined && { name }),
    ...(inner['isError'] === true && { failed: true }),
  };
}

/** Forks copy lines with their ids, which are only unique within a file; the moment makes them so everywhere. */
function usageOf(line: JsonObject): UsagePiece | undefined {
  const inner = objectOf(line['message']);
  const usage = objectOf(inner?.['usage']);
  const model = textOf(inner?.['model']);
  if (usage === undefined || model === undefined) return undefined;
  const call = textOf(inner?.['responseId']) ?? `${textOf(line['id']) ?? ''}@${textOf(line['timestamp']) ?? ''}`;
  const at = readTime(line['timestamp'] ?? null);
  return {
    kind: 'usage',
    call,
    ...(at !== undefined && { at }),
    report: {
      model,
      inputTokens: countOf(usage['input']),
      outputTokens: countOf(usage['output']),
      cacheReadTokens: countOf(usage['cacheRead']),
      cacheWriteTokens: countOf(usage['cacheWrite']),
      reasoningTokens: countOf(usage['reasoning']),
      costUsd: moneyOf(objectOf(usage['cost'])?.['total']),
    },
  };
}
