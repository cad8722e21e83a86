import type { JsonObject, JsonValue } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { objectOf, objectsOf, textOf } from '../../core/sessions/message-parts.ts';
import type { EpochMs } from '../../core/time.ts';

/** A chat as its lines leave it: later ones replace, shorten and rename what earlier ones said. */
export interface ChatFold {
  take(line: JsonObject): void;
  /** Lines are left out here. Something was said in them unless a later line says all anew. */
  skip(): void;
  found(): FoundChat;
}

export interface FoundChat {
  /** Any line was one that Gemini CLI writes. */
  readonly isChat: boolean;
  readonly id: string | undefined;
  readonly projectHash: string | undefined;
  readonly kind: string | undefined;
  readonly lastUpdated: EpochMs | undefined;
  /** Anything is in it with which a conversation can be taken up again. */
  readonly hasTalk: boolean;
}

export function foldChat(lines: readonly JsonObject[]): ChatFold {
  const facts = new Map<string, JsonValue | undefined>();
  const messages = new Map<string, boolean>();
  let isChat = false;
  let skipped = false;
  const say = (message: JsonObject) => messages.set(textOf(message['id']) ?? '', isTalk(message));
  const takeFacts = (fields: JsonObject) => {
    for (const key of FACTS) if (fields[key] !== undefined) facts.set(key, fields[key]);
    if (!Array.isArray(fields['messages'])) return;
    messages.clear();
    skipped = false;
    for (const message of objectsOf(fields['messages'])) say(message);
  };
  const rewind = (to: string) => {
    const ids = [...messages.keys()];
    // Back to what was left out is back to where something had been said.
    if (!messages.has(to) && skipped) return;
    for (const id of ids.slice(Math.max(0, ids.indexOf(to)))) messages.delete(id);
  };
  const take = (line: JsonObject) => {
    const set = objectOf(line['$set']);
    const to = line['$rewindTo'];
    if (typeof to === 'string') rewind(to);
    else if (typeof line['id'] === 'string' && typeof line['type'] === 'string') say(line);
    else if (set !== undefined) takeFacts(set);
    else if (typeof line['sessionId'] === 'string') takeFacts(line);
    else return;
    isChat = true;
  };
  for (const line of lines) take(line);
  return {
    take,
    skip() {
      skipped = true;
      facts.delete('lastUpdated');
    },
    found: () => ({
      isChat,
      id: textOf(facts.get('sessionId')),
      projectHash: textOf(facts.get('projectHash')),
      kind: textOf(facts.get('kind')),
      lastUpdated: readTime(facts.get('lastUpdated') ?? facts.get('startTime') ?? null),
      hasTalk: skipped || [...messages.values()].includes(true),
    }),
  };
}

const FACTS = ['sessionId', 'projectHash', 'kind', 'startTime', 'lastUpdated'];

/** A prompt that is no command, or an answer with anything in it. */
function isTalk(message: JsonObject): boolean {
  const text = textIn(message['content']).trim();
  if (message['type'] === 'user') return text !== '' && !/^(?:[/?]|<(?:session|hook)_context>)/.test(text);
  if (message['type'] !== 'gemini') return false;
  return text !== '' || objectsOf(message['toolCalls']).length > 0 || objectsOf(message['thoughts']).length > 0;
}

function textIn(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content : content === undefined ? [] : [content];
  return parts.map((part) => (typeof part === 'string' ? part : partText(objectOf(part)))).join('');
}

/** Something that is no text, such as the answer of a tool, is something said as well. */
function partText(part: JsonObject | undefined): string {
  const text = part?.['text'];
  return typeof text === 'string' ? text : part === undefined ? '' : 'x';
}
