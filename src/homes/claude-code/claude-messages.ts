import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import type { Content, NewMessage, ToolCall } from '../../core/sessions/message.ts';
import { contentOf, objectOf, objectsOf, ownLine, takeOut, textOf } from '../../core/sessions/message-parts.ts';

export const CLAUDE = 'claude-code';

/** The transcript in which a line stands. */
export interface Talk {
  /** The names of tools whose answers have not come yet, by the id of the call. */
  readonly names: Map<string, string>;
  readonly isSubagent: boolean;
}

/** What a line of a person or of the model says. Answers of tools become messages of their own. */
export function messagesOfLine(line: JsonObject, talk: Talk): readonly NewMessage[] {
  const inner = objectOf(line['message']);
  if (inner === undefined) return [];
  const at = readTime(line['timestamp'] ?? null);
  const given = takeOut(inner, 'content');
  const content: Content = typeof given === 'string' ? given : objectsOf(given);
  const messages: readonly Draft[] =
    line['type'] === 'assistant' ? [said(line, content, talk)] : answered(line, content, talk);
  if (at !== undefined) for (const message of messages) message.at = at;
  const [first] = messages;
  if (first !== undefined) first.metadata = ownLine(CLAUDE, line);
  return messages;
}

/** A message that is being made. It is completed in place: a copy of each would take as long as half of the parsing. */
type Draft = { -readonly [Key in keyof NewMessage]: NewMessage[Key] };

function said(line: JsonObject, content: Content, { names }: Talk): NewMessage {
  const model = textOf(objectOf(line['message'])?.['model']);
  const known = model !== undefined && model !== '<synthetic>' && { model };
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (line['isApiErrorMessage'] === true) {
    return { role: 'assistant', content: parts.map((part) => ({ ...part, type: 'error' })), ...known };
  }
  const calls = parts.filter(isCall).map(toolCall);
  for (const { id, name } of calls) names.set(id, name);
  const others = calls.length === 0 ? parts : parts.filter((part) => !isCall(part));
  return {
    role: 'assistant',
    content: contentOf(others),
    ...(calls.length > 0 && { toolCalls: calls }),
    ...known,
  };
}

function isCall({ type }: JsonObject): boolean {
  return type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use';
}

function toolCall({ id, name, input }: JsonObject): ToolCall {
  return { id: textOf(id) ?? '', name: textOf(name) ?? 'unknown', arguments: input ?? null };
}

function answered(line: JsonObject, content: Content, { names, isSubagent }: Talk): NewMessage[] {
  if (line['isCompactSummary'] === true) {
    return [{ role: 'system', content: [{ type: 'compaction', text: wordsOf(content) }] }];
  }
  const role = isOwnWord(line, isSubagent) ? 'developer' : 'user';
  if (typeof content === 'string') return [{ role, content }];
  const results = content.filter(({ type }) => type === 'tool_result').map((part) => toolResult(part, names));
  const others = results.length === 0 ? content : content.filter(({ type }) => type !== 'tool_result');
  return others.length === 0 && results.length > 0 ? results : [...results, { role, content: contentOf(others) }];
}

/** What the program itself told the model in the name of the user. */
function isOwnWord(line: JsonObject, isSubagent: boolean): boolean {
  return line['isMeta'] === true || line['promptSource'] === 'system' || (line['isSidechain'] === true && !isSubagent);
}

function toolResult({ tool_use_id: call, content, is_error: failed }: JsonObject, names: Talk['names']): NewMessage {
  const toolCallId = textOf(call) ?? '';
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

function wordsOf(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (isJsonObject(part) ? (textOf(part['text']) ?? '') : '')).join('\n');
}
