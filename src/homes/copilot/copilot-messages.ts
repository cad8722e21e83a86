import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import type { NewMessage, ToolCall } from '../../core/sessions/message.ts';
import {
  compactionMessage,
  contentOf,
  errorMessage,
  objectOf,
  objectsOf,
  ownLine,
  takeOut,
  textOf,
  textPart,
  thinkingPart,
} from '../../core/sessions/message-parts.ts';

/** The names of tools that run, by the id of the call. */
export type ToolNames = Map<string, string>;

/** What an event says in the talk; nothing for most of them. */
export function copilotMessage(line: JsonObject, data: JsonObject, names: ToolNames): NewMessage | undefined {
  const at = readTime(line['timestamp'] ?? null);
  const rest = { ...(at !== undefined && { at }), metadata: ownLine('copilot', line) };
  switch (textOf(line['type']) ?? '') {
    case 'user.message':
      return {
        role: isPrompt(line, data) ? 'user' : 'developer',
        content: textOf(takeOut(data, 'content')) ?? '',
        ...rest,
      };
    case 'system.message':
      return { role: 'system', content: textOf(takeOut(data, 'content')) ?? '', ...rest };
    case 'assistant.message':
      return { ...answer(data), ...rest };
    case 'tool.execution_start':
      names.set(textOf(data['toolCallId']) ?? '', textOf(data['toolName']) ?? 'unknown');
      return undefined;
    case 'tool.execution_complete':
      return { ...toolResult(data, names), ...rest };
    case 'session.error':
      return errorMessage(textOf(data['message']) ?? 'error', rest);
    case 'session.compaction_complete':
      return compactionMessage(textOf(takeOut(data, 'summaryContent')) ?? '', rest);
    case 'abort':
      return errorMessage(`Stopped: ${textOf(data['reason']) ?? 'no reason given'}`, rest);
    default:
      return undefined;
  }
}

/** What an agent asks a subagent, and what the program adds by itself, stands there in the name of the user. */
function isPrompt(line: JsonObject, data: JsonObject): boolean {
  const source = textOf(data['source']);
  return textOf(line['agentId']) === undefined && (source === undefined || source === 'user');
}

function answer(data: JsonObject): NewMessage {
  const text = textOf(takeOut(data, 'content'));
  const thought = textOf(data['reasoningText']);
  const calls = objectsOf(data['toolRequests']).map(toolCall);
  const model = textOf(data['model']);
  const parts = [
    ...(thought === undefined ? [] : [thinkingPart(thought)]),
    ...(text === undefined ? [] : [textPart(text)]),
  ];
  return {
    role: 'assistant',
    content: contentOf(parts),
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(model !== undefined && { model }),
  };
}

function toolCall(request: JsonObject): ToolCall {
  const [id, name] = [textOf(request['toolCallId']), textOf(request['name'])];
  return { id: id ?? '', name: name ?? 'unknown', arguments: takeOut(request, 'arguments') ?? null };
}

function toolResult(data: JsonObject, names: ToolNames): NewMessage {
  const toolCallId = textOf(data['toolCallId']) ?? '';
  const name = names.get(toolCallId);
  names.delete(toolCallId);
  const words = textOf(takeOut(objectOf(data['result']), 'content'));
  return {
    role: 'tool',
    content: words ?? textOf(objectOf(data['error'])?.['message']) ?? '',
    toolCallId,
    ...(name !== undefined && { name }),
    ...(data['success'] === false && { failed: true }),
  };
}
