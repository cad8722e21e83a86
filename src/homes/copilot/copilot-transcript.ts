import { basename, dirname, join } from 'node:path';
import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';
import type { NewMessage } from '../../core/sessions/message.ts';
import { objectOf, textOf } from '../../core/sessions/message-parts.ts';
import type { TranscriptPiece } from '../../core/sessions/transcript-format.ts';
import { startNotes, type TranscriptNotes } from '../../core/sessions/transcript-notes.ts';
import { readBeginning } from '../../platform/transcripts/read-beginning.ts';
import type { LineTranscript } from '../../platform/transcripts/read-json-lines.ts';
import { copilotMessage, type ToolNames } from './copilot-messages.ts';
import { copilotUsage } from './copilot-usage.ts';

/** Reads the events of one session. */
export function copilotTranscript(path: string): LineTranscript {
  const stem = basename(path, '.jsonl');
  const notes = startNotes(stem === 'events' ? basename(dirname(path)) : stem);
  readWorkspace(path, notes);
  const usage = copilotUsage();
  const names: ToolNames = new Map();
  return {
    read(line) {
      const type = textOf(line['type']) ?? '';
      const data = objectOf(line['data']) ?? {};
      if (type === 'session.start' || type === 'session.resume') takeFacts(data, notes);
      if (type === 'session.usage_record') return usage.record(line, data);
      if (type === 'session.shutdown') usage.total(line, data);
      const message = copilotMessage(line, data, names);
      if (message === undefined) return known(type) ? [] : [{ kind: 'unknown', what: type || 'without a type' }];
      return say(message, notes);
    },
    rest: () => usage.rest(),
    facts: () => notes.facts(),
  };
}

function say(message: NewMessage, notes: TranscriptNotes): TranscriptPiece[] {
  notes.saw(message);
  return [{ kind: 'message', message }];
}

/** Events come in families; a new member of one of these says nothing in the talk. */
function known(type: string): boolean {
  return /^(?:session|assistant|tool|subagent|hook|permission|user_input|elicitation|skill|abort|system|model|mcp|command|plan|exit_plan_mode|pending_messages|external_tool|sampling|auto_mode_switch)(?:[._]|$)/.test(
    type,
  );
}

function takeFacts(data: JsonObject, notes: TranscriptNotes): void {
  notes.id ??= textOf(data['sessionId']);
  notes.workdir ??= textOf(objectOf(data['context'])?.['cwd']);
  notes.model ??= textOf(data['selectedModel']);
  notes.sawTime(readTime(data['startTime'] ?? null));
}

/** The file beside the events holds the name of the session and its folder. */
function readWorkspace(path: string, notes: TranscriptNotes): void {
  const text = readBeginning(join(dirname(path), 'workspace.yaml'), MAX_WORKSPACE) ?? '';
  const field = (name: string) => unquoted(new RegExp(`^${name}: +(.+)$`, 'm').exec(text)?.[1]?.trim());
  notes.name(0, field('name') ?? field('summary'));
  notes.workdir = field('cwd');
}

const MAX_WORKSPACE = 64 * 1024;

/** A YAML value on one line. Others than these, which go over several, are not worth a parser. */
function unquoted(value: string | undefined): string | undefined {
  if (value === undefined || /^[|>&*!{[]/.test(value)) return undefined;
  if (value.startsWith("'")) return value.slice(1, -1).replaceAll("''", "'");
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value) as string;
  } catch {
    return value.slice(1, -1);
  }
}
