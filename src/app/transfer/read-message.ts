import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { type Content, type NewMessage, ROLES, type Role, type ToolCall } from '../../core/sessions/message.ts';
import { readTime } from '../../core/read-time.ts';

/**
 * Understands one message as Coppice writes it and as other tools do (OpenAI's names, or wrapped in an outer object).
 * What Coppice wrote comes back exactly; fields it does not know are kept in `metadata`. Undefined when there is no message.
 */
export function readMessage(line: JsonObject): NewMessage | undefined {
  const inner = line['message'];
  return line['role'] === undefined && isJsonObject(inner) ? readWrapped(line, inner) : readPlain(line);
}

function readPlain(object: JsonObject): NewMessage | undefined {
  const fields = fieldsOf(object);
  const message = readFields(fields);
  if (message === undefined) return undefined;
  const at = fields.take(TIME_KEYS, readTime);
  const own = object['metadata'];
  const metadata = isJsonObject(own) && isEmpty(fields.rest('metadata')) ? own : nonEmpty(fields.rest());
  return { ...message, ...(at !== undefined && { at }), ...(metadata && { metadata }) };
}

/** Both layers may use the same names, so what is left of the inner one stays under its own key. */
function readWrapped(outer: JsonObject, inner: JsonObject): NewMessage | undefined {
  const innerFields = fieldsOf(inner);
  const message = readFields(innerFields);
  if (message === undefined) return undefined;
  const outerFields = fieldsOf(outer);
  const at = innerFields.take(TIME_KEYS, readTime) ?? outerFields.take(TIME_KEYS, readTime);
  const left = nonEmpty(innerFields.rest());
  const metadata = nonEmpty({ ...outerFields.rest('message'), ...(left && { message: left }) });
  return { ...message, ...(at !== undefined && { at }), ...(metadata && { metadata }) };
}

const TIME_KEYS = ['at', 'timestamp', 'ts', 'created_at', 'createdAt'];

function readFields(fields: Fields): NewMessage | undefined {
  const role = fields.take(['role'], readRole);
  const toolCalls = fields.take(['toolCalls', 'tool_calls'], readToolCalls);
  const content = fields.take(['content'], readContent) ?? (toolCalls && '');
  if (role === undefined || content === undefined) return undefined;
  const toolCallId = fields.take(['toolCallId', 'tool_call_id'], readString);
  const name = fields.take(['name'], readString);
  const failed = fields.take(['failed'], (value) => (typeof value === 'boolean' ? value : undefined));
  const model = fields.take(['model'], readString);
  return {
    role,
    content,
    ...(toolCalls && { toolCalls }),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(name !== undefined && { name }),
    ...(failed !== undefined && { failed }),
    ...(model !== undefined && { model }),
  };
}

interface Fields {
  /** The value of the first of these fields that `read` understands. */
  take<T>(keys: readonly string[], read: (value: JsonValue) => T | undefined): T | undefined;
  /** What nobody took, perhaps without one more. */
  rest(without?: string): JsonObject;
}

/** The fields of an object, and which of them were understood. The number of a line is known from its place. */
function fieldsOf(object: JsonObject): Fields {
  const taken = new Set(['seq']);
  return {
    take(keys, read) {
      for (const key of keys) {
        const value = object[key];
        const result = value === undefined ? undefined : read(value);
        if (result === undefined) continue;
        taken.add(key);
        return result;
      }
      return undefined;
    },
    rest(without) {
      return Object.fromEntries(Object.entries(object).filter(([key]) => !taken.has(key) && key !== without));
    },
  };
}

const OTHER_ROLES: ReadonlyMap<string, Role> = new Map([
  ['function', 'tool'],
  ['human', 'user'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
]);

function readRole(value: JsonValue): Role | undefined {
  if (typeof value !== 'string') return undefined;
  const word = value.toLowerCase();
  return ROLES.find((role) => role === word) ?? OTHER_ROLES.get(word);
}

function readContent(value: JsonValue): Content | undefined {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (isJsonObject(value)) return [value];
  if (!Array.isArray(value)) return undefined;
  const parts = value.map((part: JsonValue) => (typeof part === 'string' ? { type: 'text', text: part } : part));
  return parts.every(isJsonObject) ? parts : undefined;
}

function readToolCalls(value: JsonValue): readonly ToolCall[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const calls = value.map(readToolCall);
  return calls.every((call) => call !== undefined) ? calls : undefined;
}

/** Coppice's own shape passes as it is; OpenAI's has name and arguments one level down. */
function readToolCall(call: JsonValue): ToolCall | undefined {
  if (!isJsonObject(call)) return undefined;
  if (isToolCall(call)) return call;
  const { id = '', type: _, function: named, ...rest } = call;
  const { name, arguments: given = null } = isJsonObject(named) ? named : call;
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  return { ...rest, id, name, arguments: given };
}

function isToolCall(call: JsonObject): call is JsonObject & ToolCall {
  return typeof call['id'] === 'string' && typeof call['name'] === 'string' && call['arguments'] !== undefined;
}

function readString(value: JsonValue): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}

function nonEmpty(object: JsonObject): JsonObject | undefined {
  return isEmpty(object) ? undefined : object;
}
