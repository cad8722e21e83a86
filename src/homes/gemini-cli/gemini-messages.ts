import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import type { Content, NewMessage, ToolCall } from '../../core/sessions/message.ts';
import {
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

/** Makes messages of records. Knows which calls were told of and answered: both are written twice, and again after a resume. */
export interface GeminiMessages {
  of(record: JsonObject): readonly NewMessage[];
}

/** What was told of by now: records, calls of tools, and the answers of tools, by their ids. */
interface Told {
  readonly records: Set<string>;
  readonly calls: Set<string>;
  readonly answers: Set<string>;
}

export function geminiMessages(): GeminiMessages {
  const told: Told = { records: new Set(), calls: new Set(), answers: new Set() };
  return {
    of(record) {
      const at = readTime(record['timestamp'] ?? null);
      const isNew = isFirst(told.records, record);
      const messages = record['type'] === 'gemini' ? fromModel(record, isNew, told) : fromElsewhere(record, told);
      const metadata = ownLine('gemini-cli', record);
      return messages.map((message, index) => ({
        ...message,
        ...(at !== undefined && { at }),
        ...(index === 0 && { metadata }),
      }));
    },
  };
}

function isFirst(known: Set<string>, { id }: JsonObject): boolean {
  const key = textOf(id) ?? '';
  if (known.has(key)) return false;
  known.add(key);
  return true;
}

/** One that was said before came back only to tell of its tools. */
function fromModel(record: JsonObject, isNew: boolean, told: Told): NewMessage[] {
  const tools = objectsOf(record['toolCalls']);
  const parts = partsOf(takeOut(record, 'content'));
  const spoken = parts.filter((part) => !('functionCall' in part));
  const later = parts.map((part) => objectOf(part['functionCall'])).filter((call) => call !== undefined);
  const calls = [...tools, ...later].filter((call) => isFirst(told.calls, call)).map(toolCall);
  const answers = tools.flatMap((tool) => resultOf(tool, told));
  if (!isNew && calls.length === 0) return answers;
  const model = textOf(record['model']);
  const message: NewMessage = {
    role: 'assistant',
    content: isNew ? contentOf([...thoughts(record), ...spoken]) : '',
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(model !== undefined && { model }),
  };
  return [message, ...answers];
}

function resultOf(tool: JsonObject, { answers }: Told): NewMessage[] {
  const output = takeOut(tool, 'result');
  if (output === undefined || !isFirst(answers, tool)) return [];
  const failed = tool['status'] === 'error' || tool['status'] === 'cancelled';
  return [{ ...answerOf(tool, responseOf(objectsOf(output))), ...(failed && { failed }) }];
}

function answerOf({ id, name }: JsonObject, content: Content): NewMessage {
  const called = textOf(name);
  return { role: 'tool', content, toolCallId: textOf(id) ?? '', ...(called !== undefined && { name: called }) };
}

/** From a person, from tools in the name of a person, or from the program itself. */
function fromElsewhere(record: JsonObject, { answers }: Told): NewMessage[] {
  const parts = partsOf(takeOut(record, 'content'));
  const responses = parts.flatMap((part) => {
    const response = objectOf(part['functionResponse']);
    return response !== undefined && isFirst(answers, response) ? [answerOf(response, responseOf([part]))] : [];
  });
  const spoken = parts.filter((part) => !('functionResponse' in part));
  if (spoken.length === 0) return responses;
  const words = contentOf(spoken);
  if (record['type'] === 'user') return [...responses, { role: roleOf(spoken), content: words }];
  const text = typeof words === 'string' ? words : JSON.stringify(words);
  return [record['type'] === 'error' ? errorMessage(text) : { role: 'system', content: text }];
}

/** The program tells the model where it is in the name of the user. */
function roleOf([first]: readonly JsonObject[]): 'user' | 'developer' {
  return /^\s*<session_context>/.test(textOf(first?.['text']) ?? '') ? 'developer' : 'user';
}

function partsOf(content: unknown): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)];
  const list = Array.isArray(content) ? content : [content];
  return list.flatMap((part: unknown): JsonObject[] => {
    if (typeof part === 'string') return [textPart(part)];
    const object = objectOf(part as JsonObject);
    if (object === undefined) return [];
    const text = object['text'];
    if (typeof text !== 'string') return [object];
    return [object['thought'] === true ? thinkingPart(text) : textPart(text)];
  });
}

function thoughts(record: JsonObject): JsonObject[] {
  return objectsOf(takeOut(record, 'thoughts')).map(({ subject, description }) =>
    thinkingPart([textOf(subject), textOf(description)].filter(Boolean).join(': ')),
  );
}

function toolCall(tool: JsonObject): ToolCall {
  return {
    id: textOf(tool['id']) ?? '',
    name: textOf(tool['name']) ?? 'unknown',
    arguments: takeOut(tool, 'args') ?? null,
  };
}

/** What a tool gave back, usually under `output`. */
function responseOf(parts: readonly JsonObject[]): Content {
  const texts = parts.map((part) => {
    const response = objectOf(objectOf(part['functionResponse'])?.['response']);
    const output = response?.['output'] ?? response?.['error'] ?? response?.['content'];
    if (typeof output === 'string') return textPart(output);
    return response === undefined ? part : textPart(JSON.stringify(output ?? response));
  });
  return contentOf(texts);
}
