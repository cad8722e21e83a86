import type { JsonObject } from '../../core/json.ts';
import type { Problem } from '../../core/problem.ts';
import type { ImportedSession } from '../../core/stores/import-store.ts';
import type { EpochMs } from '../../core/time.ts';
import type { LineReader } from './line-reader.ts';
import { parseLine } from './parse-line.ts';
import { readMessage } from './read-message.ts';

export interface TranscriptSource {
  readonly path: string;
  /** What is known before the first message. Its times stand where the messages have none. */
  readonly session: ImportedSession;
  /** When it started, where the file says so itself. */
  readonly startedAt?: EpochMs;
  readonly conflictHint: string;
}

/** Reads a transcript, one message per line. A line that makes no sense is a problem, and the rest is read all the same. */
export function readTranscript(source: TranscriptSource): LineReader {
  const { path, session, conflictHint } = source;
  let seq = 0;
  let firstAt = source.startedAt;
  let lastAt = source.startedAt;
  let model = session.model;
  let stopped = false;
  return {
    read(line) {
      if (stopped) return [];
      const parsed = parseLine(line, path);
      if ('problem' in parsed) return [{ kind: 'problem', problem: parsed.problem }];
      const { value } = parsed;
      if (belongsToExport(value)) {
        stopped = true;
        return [{ kind: 'damaged', problem: beheaded(path) }];
      }
      const message = readMessage(value);
      if (message === undefined) return [{ kind: 'problem', problem: noMessage(path, line.number) }];
      seq += 1;
      if (message.at !== undefined) {
        firstAt = Math.min(firstAt ?? message.at, message.at);
        lastAt = Math.max(lastAt ?? message.at, message.at);
      }
      model = message.model ?? model;
      const piece = { kind: 'message', message: { ...message, seq } } as const;
      return seq === 1 ? [{ kind: 'session', session, conflictHint }, piece] : [piece];
    },
    end() {
      if (stopped || seq === 0) return [];
      const facts = {
        ...session,
        ...(firstAt !== undefined && { startedAt: firstAt }),
        ...(lastAt !== undefined && { lastActiveAt: lastAt, endedAt: lastAt }),
        ...(model !== undefined && { model }),
      };
      return [{ kind: 'finished', session: facts }];
    },
  };
}

/** Lines with a `kind` are common; these fields only an export has. */
function belongsToExport({ kind, usageByModel, sha256 }: JsonObject): boolean {
  return (kind === 'session' && usageByModel !== undefined) || (kind === 'session-end' && sha256 !== undefined);
}

function beheaded(path: string): Problem {
  return {
    kind: 'damaged-export',
    subject: path,
    message: `${path} is a Coppice export whose first line is missing or damaged.`,
    hint: 'Export the session again and import the new file.',
  };
}

function noMessage(path: string, number: number): Problem {
  return {
    kind: 'unreadable-line',
    subject: `${path}:${number}`,
    message: `Line ${number} of ${path} is not a message with a role and content.`,
  };
}
