import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json.ts';
import { firstLines } from '../../../core/sessions/first-lines.ts';
import { objectsOf, textOf } from '../../../core/sessions/message-parts.ts';
import type {
  FileHead,
  TranscriptBatches,
  TranscriptFile,
  TranscriptFormat,
  TranscriptPiece,
} from '../../../core/sessions/transcript-format.ts';
import { startNotes } from '../../../core/sessions/transcript-notes.ts';
import { readLineBatches } from '../../../platform/text/read-line-batches.ts';
import { readJsonMembers } from '../../../platform/transcripts/read-json-members.ts';
import { readMembers } from '../../../platform/transcripts/read-members.ts';
import { pathId } from '../path-id.ts';
import { MAX_LINE_BYTES, parseLine } from '../parse-line.ts';
import { readMessage } from '../read-message.ts';

/** Chats as programs keep them for the APIs of models: a list of messages, an object with `messages`, or one such object per line. */
export const chatFormat: TranscriptFormat = {
  name: 'import',
  title: 'a chat',
  recognise: (head) => (shapeOf(head) === undefined ? undefined : 'transcript'),
  async *read(file, signal) {
    const { readBeginning } = await import('../../../platform/transcripts/read-beginning.ts');
    const shape = shapeOf({ path: file.path, beginning: () => readBeginning(file.path, LOOKED_AT) ?? '' });
    yield* shape === 'lines' ? readConversations(file, signal) : readDocument(file, signal);
  },
};

const LOOKED_AT = 64 * 1024;

function shapeOf({ beginning }: FileHead): 'document' | 'lines' | undefined {
  const text = beginning();
  if (/^\s*\[\s*\{/.test(text))
    return /"role"\s*:\s*"/.test(text) && /"(?:content|tool_calls)"\s*:/.test(text) ? 'document' : undefined;
  if (!/^\s*\{/.test(text)) return undefined;
  const [first] = firstLines(text.trimStart(), 1);
  if (first !== undefined && Array.isArray(first['messages'])) return 'lines';
  // The first line alone is no object, so the object goes over several.
  return first === undefined && /"messages"\s*:\s*\[\s*\{[^]*"role"\s*:\s*"/.test(text) ? 'document' : undefined;
}

function readDocument({ path }: TranscriptFile, signal?: AbortSignal): TranscriptBatches {
  const notes = startNotes(pathId(path));
  return readMembers(path, readJsonMembers(path, { signal }), {
    read({ key, index }, value) {
      if (key === 'title') notes.name(0, textOf(value));
      if (key === 'model') notes.model ??= textOf(value);
      if (index === undefined || (key !== undefined && key !== 'messages')) return [];
      const message = isJsonObject(value) ? readMessage(value) : undefined;
      if (message === undefined) return [noMessage(path, index)];
      notes.saw(message);
      return [{ kind: 'message', message }];
    },
    rest: () => [],
    facts: () => notes.facts(),
  });
}

/** Each line is a conversation of its own. */
async function* readConversations({ path }: TranscriptFile, signal?: AbortSignal): TranscriptBatches {
  for await (const { lines, firstNumber, endOffset, complete } of readLineBatches(path, {
    maxLineBytes: MAX_LINE_BYTES,
    signal,
  })) {
    const pieces = lines.flatMap((text, index) => {
      const number = firstNumber + index;
      if (text?.trim() === '') return [];
      const line =
        text === undefined
          ? ({ number, tooLong: true, lengthBytes: 0, endOffset } as const)
          : { number, text, complete, endOffset };
      const parsed = parseLine(line, path);
      if ('problem' in parsed) return [{ kind: 'problem', problem: parsed.problem } as const];
      return conversation(parsed.value, path, number);
    });
    yield { pieces, offset: endOffset };
  }
}

function conversation(value: JsonObject, path: string, number: number): TranscriptPiece[] {
  const notes = startNotes(number === 1 ? pathId(path) : `${pathId(path)}-${number}`);
  notes.id = textOf(value['id']);
  notes.name(0, textOf(value['title']));
  notes.model = textOf(value['model']);
  const messages = objectsOf(value['messages'] as JsonValue).map((message) => readMessage(message));
  const pieces = messages.map((message, index): TranscriptPiece => {
    if (message === undefined) return noMessage(path, index);
    notes.saw(message);
    return { kind: 'message', message };
  });
  return [{ kind: 'begin', facts: notes.facts() }, ...pieces, { kind: 'end', facts: notes.facts() }];
}

function noMessage(path: string, index: number): TranscriptPiece {
  const message = `Message ${index + 1} of ${path} has no role and content that are understood.`;
  return { kind: 'problem', problem: { kind: 'unreadable-value', subject: path, message } };
}
