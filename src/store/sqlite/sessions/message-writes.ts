import { Failure } from '../../../core/failure.ts';
import { checkNewMessage, endedSession, fullSession, movedOn } from '../../../core/sessions/check-session.ts';
import { ABANDONED } from '../../../core/sessions/end-reasons.ts';
import { isOutput, type Message, type NewMessage } from '../../../core/sessions/message.ts';
import type { SessionSize } from '../../../core/sessions/session.ts';
import { type AppendOptions, type AppendReceipt, MAX_BATCH } from '../../../core/stores/session-writer.ts';
import type { TranscriptMark, TranscriptSession, TranscriptSink } from '../../../core/sessions/transcript.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Connection } from '../database/connection.ts';
import { decodeMessage, encodeMessage, MESSAGE_COLUMNS, type MessageRow, rowBytes } from '../../rows/message-rows.ts';
import type { SessionRow } from '../../rows/session-rows.ts';
import { notLive } from './session-writes.ts';

export interface Append extends AppendOptions {
  readonly id: string;
  readonly messages: readonly NewMessage[];
  readonly now: EpochMs;
  readonly transcripts: TranscriptSink;
}

/**
 * Stores messages and copies them into the transcript, inside one write transaction. The write lock orders the writers of
 * all processes, so the file gets its lines in the order of the rows. A crash before the commit leaves lines that no row
 * knows: the next append finds the file longer than its mark and mends it.
 */
export function appendMessages(db: Connection, append: Append): { key: number; receipt: AppendReceipt } {
  const row = requireOpen(db, append.id);
  if (append.within !== undefined) requireRoom(row, append.within);
  if (append.expectedSeq !== undefined && append.expectedSeq !== row.last_seq) {
    throw movedOn(append.id, { expected: append.expectedSeq, actual: row.last_seq });
  }
  const fresh = append.messages.map((message, index) =>
    // Adding fields to a spread object costs V8 a new hidden class each time: as much as storing the row.
    Object.assign({}, message, { seq: row.last_seq + index + 1, at: message.at ?? append.now }),
  );
  const contentBytes = insertMessages(db, row.key, fresh);
  const lastSeq = row.last_seq + fresh.length;
  const { mark, problems } = append.transcripts.write({
    session: transcriptSessionOf(row),
    mark: { seq: row.transcript_seq, sizeBytes: row.transcript_bytes },
    fresh,
    stored: (from, to) => storedMessages(db, row.key, { from, to }),
  });
  countMessages(db, row.key, { fresh, contentBytes, mark, now: append.now });
  const before = sizeOf(row);
  const size = {
    messages: before.messages + fresh.length - outputIn(fresh),
    bytes: before.bytes + contentBytes + mark.sizeBytes - row.transcript_bytes,
  };
  return { key: row.key, receipt: { firstSeq: row.last_seq + 1, lastSeq, size, problems } };
}

/** Inserts rows as they are and returns the bytes of their content. Search follows before the commit. */
export function insertMessages(db: Connection, sessionKey: number, messages: readonly Message[]): number {
  const insert = db.sql('INSERT INTO messages (session_key, seq, role, at, text, extra) VALUES (?, ?, ?, ?, ?, ?)');
  let bytes = 0;
  for (const message of messages) {
    const row = encodeMessage(message);
    insert.run(sessionKey, row.seq, row.role, row.at, row.text, row.extra);
    bytes += rowBytes(row);
  }
  return bytes;
}

interface Added {
  readonly fresh: readonly Message[];
  readonly contentBytes: number;
  readonly mark: TranscriptMark;
  readonly now: EpochMs;
}

/** Keeps the counts in the session's row equal to its messages. */
export function countMessages(db: Connection, sessionKey: number, added: Added): void {
  const { fresh, contentBytes, mark, now } = added;
  const toolCalls = fresh.reduce((count, message) => count + (message.toolCalls?.length ?? 0), 0);
  db.sql(`UPDATE sessions SET last_seq = last_seq + ?, message_count = message_count + ?,
    output_count = output_count + ?, tool_call_count = tool_call_count + ?, content_bytes = content_bytes + ?,
    transcript_seq = ?, transcript_bytes = ?, last_active_at = max(?, last_active_at) WHERE key = ?`).run(
    fresh.length,
    fresh.length,
    outputIn(fresh),
    toolCalls,
    contentBytes,
    mark.seq,
    mark.sizeBytes,
    now,
    sessionKey,
  );
}

function outputIn(messages: readonly Message[]): number {
  return messages.reduce((count, message) => count + (isOutput(message) ? 1 : 0), 0);
}

/** Reads stored messages in order, those that were taken back included. */
export function* storedMessages(
  db: Connection,
  sessionKey: number,
  range: { from?: number; to?: number },
): Generator<Message> {
  for (const row of storedRows(db, sessionKey, range)) yield decodeMessage(row);
}

/** Reads the rows of messages in order, a page at a time, so that a long session never stands in memory. */
function* storedRows(
  db: Connection,
  sessionKey: number,
  { from = 1, to = Number.MAX_SAFE_INTEGER }: { from?: number; to?: number },
): Generator<MessageRow> {
  const select = db.sql<[number, number, number, number], MessageRow>(
    `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_key = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?`,
  );
  let next = from;
  for (let pageSize = 16; next <= to; ) {
    const rows = select.all(sessionKey, next, to, pageSize);
    yield* rows;
    if (rows.length < pageSize) return;
    next = (rows.at(-1)?.seq ?? to) + 1;
    pageSize = nextPageSize(
      pageSize,
      rows.reduce((sum, row) => sum + row.text.length + (row.extra?.length ?? 0), 0),
    );
  }
}

/** Large pages for small messages, single rows for huge ones. */
export function nextPageSize(pageSize: number, characters: number): number {
  if (characters > 1_000_000) return Math.max(1, pageSize >> 2);
  return characters < 250_000 ? Math.min(256, pageSize * 2) : pageSize;
}

/** Said before anything is written. */
export function checkBatch(messages: readonly NewMessage[]): void {
  if (messages.length === 0 || messages.length > MAX_BATCH) {
    throw new Failure('usage', `An append takes 1 to ${MAX_BATCH} messages, not ${messages.length}.`);
  }
  for (const message of messages) checkNewMessage(message);
}

/** The few columns an append needs: it is the hottest statement there is. */
type OpenRow = Pick<
  SessionRow,
  | 'key'
  | 'id'
  | 'source'
  | 'parent_id'
  | 'child_kind'
  | 'workdir'
  | 'started_at'
  | 'ended_at'
  | 'end_reason'
  | 'last_seq'
  | 'message_count'
  | 'output_count'
  | 'content_bytes'
  | 'dump_bytes'
  | 'transcript_seq'
  | 'transcript_bytes'
>;

function requireOpen(db: Connection, id: string): OpenRow {
  const row = db
    .sql<[string], OpenRow>(
      `SELECT key, id, source, parent_id, child_kind, workdir, started_at, ended_at, end_reason, last_seq, message_count,
        output_count, content_bytes, dump_bytes, transcript_seq, transcript_bytes FROM sessions WHERE id = ? AND state = 'live'`,
    )
    .get(id);
  if (row === undefined) throw notLive(db, id);
  if (row.ended_at === null) return row;
  if (row.end_reason !== ABANDONED) throw endedSession(id, row.end_reason ?? undefined);
  // Nobody ended it: it was only taken to be left, and here somebody goes on in it.
  db.sql('UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE key = ?').run(row.key);
  return row;
}

function requireRoom(row: OpenRow, within: SessionSize): void {
  const size = sizeOf(row);
  if (size.messages >= within.messages || size.bytes >= within.bytes) throw fullSession(row.id, size, within);
}

function sizeOf(row: OpenRow): SessionSize {
  return {
    messages: row.message_count - row.output_count,
    bytes: row.content_bytes + row.transcript_bytes + row.dump_bytes,
  };
}

/** What a transcript says of the session in a row. */
export function transcriptSessionOf(row: OpenRow): TranscriptSession {
  return {
    id: row.id,
    source: row.source,
    startedAt: row.started_at,
    ...(row.parent_id !== null && { parentId: row.parent_id }),
    ...(row.child_kind !== null && { childKind: row.child_kind }),
    ...(row.workdir !== null && { workdir: row.workdir }),
  };
}
