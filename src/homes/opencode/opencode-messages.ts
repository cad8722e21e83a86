import type { JsonObject, JsonValue } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import type { NewMessage, ToolCall } from '../../core/sessions/message.ts';
import {
  contentOf,
  errorMessage,
  objectOf,
  ownLine,
  takeOut,
  textOf,
  textPart,
  thinkingPart,
} from '../../core/sessions/message-parts.ts';

/** What a message of opencode says: its words, then the answers of the tools it asked for, then what went wrong. */
export function messagesOf(info: JsonObject, parts: readonly JsonObject[]): readonly NewMessage[] {
  const at = timeOf(info, 'created');
  const spoken = parts.flatMap(contentPart);
  const tools = parts.filter(({ type }) => type === 'tool');
  const calls = tools.map(toolCall);
  const answers = tools.flatMap(toolResult);
  const model = textOf(info['modelID']);
  const role = info['role'] === 'assistant' ? 'assistant' : roleOf(parts);
  const message: NewMessage = {
    role,
    content: contentOf(spoken),
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(model !== undefined && { model }),
    ...(at !== undefined && { at }),
    metadata: ownLine('opencode', { info, parts }),
  };
  const error = errorOf(info);
  const failed = error === undefined ? [] : [errorMessage(error, at === undefined ? {} : { at })];
  const empty = spoken.length === 0 && calls.length === 0;
  return empty && failed.length > 0
    ? [{ ...errorMessage(error ?? ''), ...pick(message) }]
    : [message, ...answers, ...failed];
}

function pick({ at, metadata }: NewMessage): Pick<NewMessage, 'at' | 'metadata'> {
  return { ...(at !== undefined && { at }), ...(metadata !== undefined && { metadata }) };
}

/** A prompt all of whose parts were added by the program was not said by anybody. */
function roleOf(parts: readonly JsonObject[]): 'user' | 'developer' {
  const texts = parts.filter(({ type }) => type === 'text');
  return texts.length > 0 && texts.every(({ synthetic }) => synthetic === true) ? 'developer' : 'user';
}

/** Steps, patches and snapshots say nothing in the talk. */
function contentPart(part: JsonObject): JsonObject[] {
  const text = textOf(part['text']);
  switch (textOf(part['type']) ?? '') {
    case 'text':
      return text === undefined ? [] : [textPart(takenText(part, text))];
    case 'reasoning':
      return text === undefined ? [] : [thinkingPart(takenText(part, text))];
    case 'compaction':
      return [{ type: 'compaction', text: 'The conversation was shortened here.' }];
    case 'file':
      return [filePart(part)];
    default:
      return [];
  }
}

/** The text of a part, which is then not kept beside it as well. */
function takenText(part: JsonObject, text: string): string {
  takeOut(part, 'text');
  return text;
}

function filePart(part: JsonObject): JsonObject {
  const mime = textOf(part['mime']) ?? '';
  const url = textOf(part['url']) ?? '';
  if (mime.startsWith('image/')) {
    takeOut(part, 'url');
    return { type: 'image', image_url: url };
  }
  return textPart(`[file: ${textOf(part['filename']) ?? url.slice(0, 200)}]`);
}

function toolCall(part: JsonObject): ToolCall {
  const given: JsonValue = takeOut(objectOf(part['state']), 'input') ?? null;
  return {
    id: textOf(part['callID']) ?? textOf(part['id']) ?? '',
    name: textOf(part['tool']) ?? 'unknown',
    arguments: given,
  };
}

function toolResult(part: JsonObject): NewMessage[] {
  const state = objectOf(part['state']);
  if (state?.['status'] !== 'completed' && state?.['status'] !== 'error') return [];
  const failed = state['status'] === 'error';
  const at = timeOf(state, 'end');
  return [
    {
      role: 'tool',
      content: textOf(takeOut(state, failed ? 'error' : 'output')) ?? '',
      toolCallId: textOf(part['callID']) ?? textOf(part['id']) ?? '',
      name: textOf(part['tool']) ?? 'unknown',
      ...(failed && { failed }),
      ...(at !== undefined && { at }),
    },
  ];
}

function errorOf(info: JsonObject): string | undefined {
  const error = objectOf(info['error']);
  return (
    error &&
    (textOf(objectOf(error['data'])?.['message']) ?? textOf(error['message']) ?? textOf(error['name']) ?? 'error')
  );
}

function timeOf(holder: JsonObject, key: string): number | undefined {
  return readTime(objectOf(holder['time'])?.[key] ?? null);
}
