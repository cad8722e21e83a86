import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import type { NewMessage, ToolCall } from '../../core/sessions/message.ts';
import { contentOf, objectsOf, ownLine, takeOut, textOf, textPart } from '../../core/sessions/message-parts.ts';

/** The names of tools whose answers have not come yet, by the id of the call. */
export type ToolNames = Map<string, string>;

/** What one turn of the talk says, in the shape of Anthropic's API. */
export function messagesOfTurn(turn: JsonObject, names: ToolNames): readonly NewMessage[] {
  const at = readTime(turn['ts'] ?? null);
  const given = takeOut(turn, 'content');
  const parts = typeof given === 'string' ? [textPart(given)] : objectsOf(given);
  const messages = turn['role'] === 'assistant' ? [said(parts, names)] : answered(turn, parts, names);
  const metadata = ownLine('cline', turn);
  return messages.map((message, index) => ({
    ...message,
    ...(at !== undefined && { at }),
    ...(index === 0 && { metadata }),
  }));
}

function said(parts: readonly JsonObject[], names: ToolNames): NewMessage {
  const calls = parts.filter(({ type }) => type === 'tool_use').map(toolCall);
  for (const { id, name } of calls) names.set(id, name);
  const content = contentOf(parts.filter(({ type }) => type !== 'tool_use'));
  return { role: 'assistant', content, ...(calls.length > 0 && { toolCalls: calls }) };
}

function toolCall({ id, name, input }: JsonObject): ToolCall {
  return { id: textOf(id) ?? '', name: textOf(name) ?? 'unknown', arguments: input ?? null };
}

function answered(turn: JsonObject, parts: readonly JsonObject[], names: ToolNames): NewMessage[] {
  if (turn['isSummary'] === true) {
    return [
      {
        role: 'system',
        content: [{ type: 'compaction', text: parts.flatMap(({ text }) => textOf(text) ?? []).join('\n') }],
      },
    ];
  }
  const results = parts.filter(({ type }) => type === 'tool_result').map((part) => toolResult(part, names));
  const others = parts.filter(({ type }) => type !== 'tool_result');
  // The surroundings are told again with every prompt, as a part of their own.
  const isTold = others.length > 0 && others.every(({ text }) => /^\s*<environment_details>/.test(textOf(text) ?? ''));
  if (others.length === 0 && results.length > 0) return results;
  return [...results, { role: isTold ? 'developer' : 'user', content: contentOf(others) }];
}

function toolResult({ tool_use_id: id, content, is_error: failed }: JsonObject, names: ToolNames): NewMessage {
  const toolCallId = textOf(id) ?? '';
  const name = names.get(toolCallId);
  names.delete(toolCallId);
  return {
    role: 'tool',
    content: typeof content === 'string' ? content : contentOf(objectsOf(content)),
    toolCallId,
    ...(name !== undefined && { name }),
    ...(failed === true && { failed }),
  };
}
