import { basename, dirname, join } from 'node:path';
import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import { firstLines } from '../../core/sessions/first-lines.ts';
import type { NewMessage } from '../../core/sessions/message.ts';
import { errorMessage, objectOf, ownLine, textOf } from '../../core/sessions/message-parts.ts';
import type { TranscriptPiece } from '../../core/sessions/transcript-format.ts';
import { startNotes, type TranscriptNotes } from '../../core/sessions/transcript-notes.ts';
import { readBeginning } from '../../platform/transcripts/read-beginning.ts';
import type { LineTranscript } from '../../platform/transcripts/read-json-lines.ts';
import { beginsSilent, SILENT_KINDS } from './claude-kinds.ts';
import { CLAUDE, messagesOfLine, type Talk } from './claude-messages.ts';
import { claudeUsage } from './claude-usage.ts';

/** Which title counts more: the one a person gave, one the model found, and at last what was asked. */
const RANKS = { custom: 0, ai: 1, summary: 2, prompt: 3 } as const;

/** Reads one transcript of Claude Code. Its lines form a tree; they are given in the order in which they were written. */
export function claudeTranscript(path: string): LineTranscript {
  const notes = startNotes(basename(path, '.jsonl'));
  const agent = basename(path).startsWith('agent-') ? basename(path, '.jsonl') : undefined;
  readBeside(path, notes, agent);
  const usage = claudeUsage();
  const talk: Talk = { names: new Map(), isSubagent: agent !== undefined };
  const say = (message: NewMessage): TranscriptPiece => {
    notes.saw(message);
    return { kind: 'message', message };
  };
  return {
    skips: beginsSilent,
    read(line) {
      const type = textOf(line['type']) ?? '';
      if (SILENT_KINDS.has(type)) return [];
      takeFacts(line, notes, agent);
      if (type === 'user' || type === 'assistant') {
        const used = type === 'assistant' ? usage.take(line) : [];
        const pieces = messagesOfLine(line, talk).map(say);
        return used.length === 0 ? pieces : [...pieces, ...used];
      }
      if (type === 'attachment') return queuedPrompt(line).map(say);
      if (type === 'system') return systemMessage(line).map(say);
      if (takeTitle(type, line, notes) || type === 'fork-context-ref') return [];
      return [{ kind: 'unknown', what: type || 'without a type' }];
    },
    rest: () => usage.rest(),
    facts: () => notes.facts(),
  };
}

function takeFacts(line: JsonObject, notes: TranscriptNotes, agent: string | undefined): void {
  const session = textOf(line['sessionId']) ?? textOf(line['parentSessionId']);
  if (notes.id === undefined && session !== undefined) {
    if (agent !== undefined) notes.parent = { id: session, kind: 'subagent' };
    notes.id = agent === undefined ? session : `${session}.${agent}`;
  }
  notes.workdir ??= textOf(line['cwd']);
}

function takeTitle(type: string, line: JsonObject, notes: TranscriptNotes): boolean {
  if (type === 'custom-title') notes.name(RANKS.custom, textOf(line['customTitle']));
  else if (type === 'ai-title') notes.name(RANKS.ai, textOf(line['aiTitle']));
  else if (type === 'summary') notes.name(RANKS.summary, textOf(line['summary']));
  else if (type === 'last-prompt') notes.name(RANKS.prompt, textOf(line['lastPrompt']));
  else return false;
  return true;
}

/** A title given later, and what a subagent was asked for, stand in small files of their own. */
function readBeside(path: string, notes: TranscriptNotes, agent: string | undefined): void {
  const stem = join(dirname(path), basename(path, '.jsonl'));
  const file = agent === undefined ? join(stem, 'custom-title.json') : `${stem}.meta.json`;
  const [fields] = firstLines(readBeginning(file, MAX_BESIDE)?.replaceAll('\n', ' ') ?? '', 1);
  notes.name(RANKS.custom, textOf(fields?.[agent === undefined ? 'customTitle' : 'description']));
}

const MAX_BESIDE = 16 * 1024;

/** What a person typed while the agent was at work is told of as something attached. */
function queuedPrompt(line: JsonObject): NewMessage[] {
  const attachment = objectOf(line['attachment']);
  const prompt = attachment?.['type'] === 'queued_command' ? textOf(attachment['prompt']) : undefined;
  return prompt === undefined ? [] : [{ role: 'user', content: prompt, ...told(line) }];
}

/** Where a context was shortened, a line says so and the next one holds the summary: that one is the message. */
function systemMessage(line: JsonObject): NewMessage[] {
  if (line['subtype'] !== 'api_error') return [];
  const error = objectOf(line['error']);
  const words = textOf(error?.['message']) ?? textOf(line['content']) ?? textOf(error?.['formatted']) ?? 'API error';
  return [errorMessage(words, told(line))];
}

function told(line: JsonObject): Pick<NewMessage, 'at' | 'metadata'> {
  const at = readTime(line['timestamp'] ?? null);
  return { ...(at !== undefined && { at }), metadata: ownLine(CLAUDE, line) };
}
