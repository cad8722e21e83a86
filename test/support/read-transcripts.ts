import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { knownFormats } from '../../src/app/transfer/transcripts/known-formats.ts';
import { loadFormats } from '../../src/app/transfer/transcripts/load-formats.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { NewMessage } from '../../src/core/sessions/message.ts';
import { addUsage, NO_USAGE, type Usage } from '../../src/core/sessions/session.ts';
import type { TranscriptFacts, TranscriptPiece } from '../../src/core/sessions/transcript-format.ts';

/** One session as its format tells of it. */
export interface ToldSession {
  readonly facts: TranscriptFacts;
  readonly messages: readonly NewMessage[];
  readonly usage: Usage;
  readonly calls: readonly string[];
}

export interface ToldFile {
  readonly format: string;
  readonly sessions: readonly ToldSession[];
  readonly unknown: readonly string[];
  readonly problems: readonly string[];
}

/** Reads a file by the format that recognises it. */
export async function readTranscripts(path: string): Promise<ToldFile> {
  const known = knownFormats(await loadFormats()).recognise(path);
  if (known?.role !== 'transcript') throw new Error(`nobody recognises ${path}`);
  const pieces: TranscriptPiece[] = [];
  const { size: sizeBytes, mtimeMs: modifiedAt } = statSync(path);
  for await (const batch of known.format.read({ path, sizeBytes, modifiedAt })) pieces.push(...batch.pieces);
  return {
    format: known.format.name,
    sessions: sessionsOf(pieces),
    unknown: pieces.flatMap((piece) => (piece.kind === 'unknown' ? [piece.what] : [])),
    problems: pieces.flatMap((piece) => (piece.kind === 'problem' ? [piece.problem.kind] : [])),
  };
}

/** The only session of a file. */
export async function readOne(path: string): Promise<ToldSession> {
  const { sessions } = await readTranscripts(path);
  const [only] = sessions;
  if (only === undefined || sessions.length > 1) throw new Error(`${sessions.length} sessions in ${path}`);
  return only;
}

/** What was said, in short: who, the words or parts, and the names of tools that were called. */
export function talk({ messages }: ToldSession): readonly (readonly unknown[])[] {
  return messages.map(({ role, content, toolCalls, name }) => [
    role,
    content,
    ...(toolCalls ?? []).map((call) => `→ ${call.name}`),
    ...(name === undefined ? [] : [`of ${name}`]),
  ]);
}

function sessionsOf(pieces: readonly TranscriptPiece[]): ToldSession[] {
  const found: ToldSession[] = [];
  let messages: NewMessage[] = [];
  let calls: string[] = [];
  let usage: Usage = NO_USAGE;
  for (const piece of pieces) {
    if (piece.kind === 'begin') [messages, calls, usage] = [[], [], NO_USAGE];
    if (piece.kind === 'message') messages.push(piece.message);
    if (piece.kind === 'usage') {
      calls.push(piece.call);
      usage = addUsage(usage, { ...NO_USAGE, ...piece.report });
    }
    if (piece.kind === 'end') found.push({ facts: piece.facts, messages, usage, calls });
  }
  return found;
}

/** Writes lines as agents do, and returns the path. */
export function writeLines(folder: string, name: string, lines: readonly JsonObject[]): string {
  return writeText(folder, name, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

export function writeText(folder: string, name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
