import type { JsonObject, JsonValue } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import type { Content, NewMessage, Role } from '../../core/sessions/message.ts';
import {
  contentOf,
  objectOf,
  objectsOf,
  ownLine,
  takeOut,
  textOf,
  textPart,
  thinkingPart,
} from '../../core/sessions/message-parts.ts';

/** The names of tools whose answers have not come yet, by the id of the call. */
export type ToolNames = Map<string, string>;

/** The moment and the line that a message comes from. */
export function told(line: JsonObject): Pick<NewMessage, 'at' | 'metadata'> {
  const at = readTime(line['timestamp'] ?? null);
  return { ...(at !== undefined && { at }), metadata: ownLine('codex', line) };
}

/** What one item of the talk says; nothing when it has no words, such as thoughts that only the provider can read. */
export function messageOfItem(
  line: JsonObject,
  item: JsonObject,
  names: ToolNames,
): NewMessage | undefined | 'unknown' {
  switch (textOf(item['type']) ?? '') {
    case 'message':
      return spoken(line, item);
    case 'reasoning':
      return thought(line, item);
    case 'function_call':
      return call(line, takeOut(item, 'arguments'), { item, names });
    case 'custom_tool_call':
    case 'tool_search_call':
      return call(line, takeOut(item, 'input') ?? takeOut(item, 'arguments'), { item, names });
    case 'local_shell_call':
    case 'web_search_call':
      return call(line, takeOut(item, 'action'), { item, names });
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'tool_search_output':
      return answer(line, item, names);
    case 'image_generation_call':
      return {
        role: 'assistant',
        content: [{ type: 'image', source: { media_type: 'image/png', data: takeOut(item, 'result') ?? '' } }],
        ...told(line),
      };
    case 'compaction':
    case 'compaction_summary':
    case 'context_compaction':
    case 'ghost_snapshot':
    case 'other':
      return undefined;
    default:
      return 'unknown';
  }
}

function spoken(line: JsonObject, item: JsonObject): NewMessage {
  const parts = objectsOf(takeOut(item, 'content')).map(plainPart);
  const rest = told(line);
  const role = roleOf(item, parts);
  return { role, content: contentOf(parts), ...rest };
}

function plainPart(part: JsonObject): JsonObject {
  const text = part['text'];
  return typeof text === 'string' && (textOf(part['type']) ?? '').endsWith('_text') ? textPart(text) : part;
}

/** What the program itself told the model stands there in the name of the user. Newer versions say so, older ones do not. */
function roleOf(item: JsonObject, [first]: readonly JsonObject[]): Role {
  if (item['role'] === 'assistant' || item['role'] === 'developer' || item['role'] === 'system') return item['role'];
  const kinds = objectOf(item['internal_chat_message_metadata_passthrough'])?.['content_item_kinds'];
  if (Array.isArray(kinds)) return kinds.some((kind) => String(kind).startsWith('user')) ? 'user' : 'developer';
  return OWN_WORDS.test(textOf(first?.['text']) ?? '') ? 'developer' : 'user';
}

const OWN_WORDS =
  /^\s*(?:<(?:environment_context|user_instructions|permissions|subagent_notification|turn_aborted|skill)|# AGENTS\.md instructions)/;

function thought(line: JsonObject, item: JsonObject): NewMessage | undefined {
  const parts = [...objectsOf(item['summary']), ...objectsOf(item['content'])].flatMap(
    ({ text }) => textOf(text) ?? [],
  );
  if (parts.length === 0) return undefined;
  takeOut(item, 'summary');
  takeOut(item, 'content');
  return { role: 'assistant', content: parts.map(thinkingPart), ...told(line) };
}

function call(
  line: JsonObject,
  given: JsonValue | undefined,
  { item, names }: { item: JsonObject; names: ToolNames },
): NewMessage {
  const id = textOf(item['call_id']) ?? textOf(item['id']) ?? '';
  const name = textOf(item['name']) ?? (textOf(item['type']) ?? 'unknown').replace(/_call$/, '');
  names.set(id, name);
  return { role: 'assistant', content: '', toolCalls: [{ id, name, arguments: given ?? null }], ...told(line) };
}

function answer(line: JsonObject, item: JsonObject, names: ToolNames): NewMessage {
  const toolCallId = textOf(item['call_id']) ?? '';
  const name = names.get(toolCallId);
  names.delete(toolCallId);
  const output = takeOut(item, 'output') ?? takeOut(item, 'tools');
  const content = outputOf(output ?? null);
  const failed =
    objectOf(output)?.['success'] === false || (typeof content === 'string' && EXIT_CODE.test(content.slice(0, 500)));
  return {
    role: 'tool',
    content,
    toolCallId,
    ...(name !== undefined && { name }),
    ...(failed && { failed }),
    ...told(line),
  };
}

/** How a command ended stands in the words that the model was given. */
const EXIT_CODE = /^(?:Exit code:|Process exited with code) [1-9]/m;

function outputOf(output: JsonValue): Content {
  if (typeof output === 'string') return output;
  const inner = objectOf(output)?.['content'];
  if (typeof inner === 'string') return inner;
  const parts = objectsOf(inner ?? output);
  return parts.length > 0 ? contentOf(parts.map(plainPart)) : JSON.stringify(output);
}
