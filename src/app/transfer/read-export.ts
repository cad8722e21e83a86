import { createHash, type Hash } from 'node:crypto';
import type { JsonObject } from '../../core/json.ts';
import type { ImportedSession } from '../../core/stores/import-store.ts';
import type { Line } from '../../platform/text/read-lines.ts';
import type { ImportPiece, LineReader, ReadMessage } from './line-reader.ts';
import { parseLine } from './parse-line.ts';
import { readMessage } from './read-message.ts';
import { readSessionFacts } from './read-session-facts.ts';

export interface ExportSource {
  readonly path: string;
  /** How many sessions the first line promises. */
  readonly sessions: number;
}

interface OpenSession {
  readonly session: ImportedSession;
  readonly hash: Hash;
  messages: number;
  lastSeq: number;
}

/**
 * Reads the lines of a lossless export after its first. A session counts only when its last line is there and its hash and
 * count agree. After damage everything up to the next session is passed over.
 */
export function readExport({ path, sessions }: ExportSource): LineReader {
  let state: OpenSession | 'between' | 'lost' = 'between';
  let seen = 0;

  const damaged = (message: string, id?: string) => damagedPiece(path, message, id);
  const leaveOpen = (): readonly ImportPiece[] =>
    typeof state === 'string'
      ? []
      : [damaged(`Session ${state.session.id} in ${path} is cut short.`, state.session.id)];

  const startSession = (value: JsonObject, line: Line): readonly ImportPiece[] => {
    const pieces = leaveOpen();
    const session = readSessionFacts(value);
    seen += 1;
    if (session === undefined) {
      state = 'lost';
      return [...pieces, damaged(`Line ${line.number} of ${path} does not describe a session.`)];
    }
    state = { session, hash: createHash('sha256'), messages: 0, lastSeq: 0 };
    addToHash(state, line);
    return [...pieces, { kind: 'session', session, conflictHint: CONFLICT_HINT }];
  };

  return {
    read(line) {
      const parsed = parseLine(line, path);
      const value = 'value' in parsed ? parsed.value : {};
      if (value['kind'] === 'session') return startSession(value, line);
      if (state === 'lost') return [];
      if (state !== 'between') {
        const piece = continueSession(state, value, line);
        if (piece?.kind === 'finished') state = 'between';
        if (piece !== undefined) return [piece];
      } else seen += 1;
      const id = state === 'between' ? undefined : state.session.id;
      state = 'lost';
      return [damaged(`Line ${line.number} of ${path} is damaged or not where it belongs.`, id)];
    },
    end() {
      const missing = sessions - seen;
      if (missing <= 0) return leaveOpen();
      return [...leaveOpen(), damaged(`${path} is cut short: ${missing} of ${sessions} sessions are missing.`)];
    },
  };
}

function damagedPiece(path: string, message: string, id?: string): ImportPiece {
  const hint = 'Export the session again and import the new file.';
  return {
    kind: 'damaged',
    ...(id !== undefined && { id }),
    problem: { kind: 'damaged-export', subject: path, message, hint },
  };
}

const CONFLICT_HINT = 'To take the one in the file instead, remove the stored session first.';

function continueSession(open: OpenSession, value: JsonObject, line: Line): ImportPiece | undefined {
  if (value['kind'] === 'session-end')
    return sessionIntact(open, value) ? { kind: 'finished', session: open.session } : undefined;
  const message = value['kind'] === 'message' ? exportedMessage(value, open.lastSeq) : undefined;
  if (message === undefined) return undefined;
  addToHash(open, line);
  open.messages += 1;
  open.lastSeq = message.seq;
  return { kind: 'message', message };
}

function exportedMessage(line: JsonObject, lastSeq: number): ReadMessage | undefined {
  const { kind: _, ...fields } = line;
  const { seq } = fields;
  const message = readMessage(fields);
  if (message?.at === undefined || typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq <= lastSeq)
    return undefined;
  return { ...message, seq };
}

function sessionIntact({ session, hash, messages }: OpenSession, end: JsonObject): boolean {
  return end['id'] === session.id && end['messages'] === messages && end['sha256'] === hash.digest('hex');
}

function addToHash({ hash }: OpenSession, line: Line): void {
  if (!line.tooLong) hash.update(`${line.text}\n`);
}
