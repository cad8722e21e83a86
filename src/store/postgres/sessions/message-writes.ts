import { Failure } from '../../../core/failure.ts';
import { checkNewMessage, endedSession, fullSession, movedOn } from '../../../core/sessions/check-session.ts';
import { ABANDONED } from '../../../core/sessions/end-reasons.ts';
import { isOutput, type Message, type NewMessage } from '../../../core/sessions/message.ts';
import type { SessionSize } from '../../../core/sessions/session.ts';
import { type AppendOptions, type AppendReceipt, MAX_BATCH } from '../../../core/stores/session-writer.ts';
import type { EpochMs } from '../../../core/time.ts';
import { decodeMessage, encodeMessage, MESSAGE_COLUMNS, type MessageRow, rowBytes } from '../../rows/message-rows.ts';
import type { SessionRow } from '../../rows/session-rows.ts';
import type { Sql } from '../database/sql.ts';
import { findRow, LOCKED, notLive } from './session-writes.ts';

export interface Append extends AppendOptions {
  readonly id: string;
  readonly messages: readonly NewMessage[];
  readonly now: EpochMs;
}

/** Stores messages of one session inside a transaction. The lock of its row orders the writers of all machines. */
export async function appendMessages(tx: Sql, append: Append): Promise<{ key: number; receipt: AppendReceipt }> {
  const row = await requireOpen(tx, append.id);
  if (append.within !== undefined) requireRoom(row, append.within);
  if (append.expectedSeq !== undefined && append.expectedSeq !== row.last_seq) {
    throw movedOn(append.id, { expected: append.expectedSeq, actual: row.last_seq });
  }
  const fresh = numbered(append.messages, row.last_seq, append.now);
  const contentBytes = await insertMessages(tx, row.key, fresh);
  const lastSeq = row.last_seq + fresh.length;
  await countMessages(tx, row.key, { fresh, contentBytes, now: append.now, transcriptSeq: lastSeq });
  const before = sizeOf(row);
  const size = {
    messages: before.messages + fresh.length - outputIn(fresh),
    bytes: before.bytes + contentBytes,
  };
  return { key: row.key, receipt: { firstSeq: row.last_seq + 1, lastSeq, size, problems: [] } };
}

export function numbered(messages: readonly NewMessage[], after: number, now: EpochMs): readonly Message[] {
  return messages.map((message, index) =>
    Object.assign({}, message, { seq: after + index + 1, at: message.at ?? now }),
  );
}

/** Inserts rows as they are and returns the bytes of their content. Search follows later. */
export async function insertMessages(tx: Sql, sessionKey: number, messages: readonly Message[]): Promise<number> {
  const rows = messages.map(encodeMessage);
  await tx.run(
    `INSERT INTO coppice.messages (session_key, seq, role, at, text, extra, is_output)
     SELECT ?, * FROM unnest(?::bigint[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::smallint[])`,
    sessionKey,
    rows.map(({ seq }) => seq),
    rows.map(({ role }) => role),
    rows.map(({ at }) => at),
    rows.map(({ text }) => text),
    rows.map(({ extra }) => extra),
    messages.map((message) => Number(isOutput(message))),
  );
  return rows.reduce((sum, row) => sum + rowBytes(row), 0);
}

interface Added {
  readonly fresh: readonly Message[];
  readonly contentBytes: number;
  readonly now: EpochMs;
  /** From where on a transcript would have to be written, if somebody began one: a home on a server keeps none. */
  readonly transcriptSeq: number;
}

/** Keeps the counts in the session's row equal to its messages. */
export async function countMessages(tx: Sql, sessionKey: number, added: Added): Promise<void> {
  const { fresh, contentBytes, now, transcriptSeq } = added;
  await tx.run(
    `UPDATE coppice.sessions SET last_seq = last_seq + ?, message_count = message_count + ?, output_count = output_count + ?,
     tool_call_count = tool_call_count + ?, content_bytes = content_bytes + ?, transcript_seq = ?,
     last_active_at = greatest(?, last_active_at) WHERE key = ?`,
    fresh.length,
    fresh.length,
    outputIn(fresh),
    toolCallsIn(fresh),
    contentBytes,
    transcriptSeq,
    now,
    sessionKey,
  );
}

export function outputIn(messages: readonly NewMessage[]): number {
  return messages.reduce((count, message) => count + (isOutput(message) ? 1 : 0), 0);
}

export function toolCallsIn(messages: readonly NewMessage[]): number {
  return messages.reduce((count, message) => count + (message.toolCalls?.length ?? 0), 0);
}

/** Reads stored messages in order, those that were taken back included, a page at a time, so that a long session never stands in memory. */
export async function* storedMessages(
  sql: Sql,
  sessionKey: number,
  { from = 1, to = Number.MAX_SAFE_INTEGER }: { from?: number; to?: number },
): AsyncGenerator<Message> {
  let next = Math.ceil(from);
  const last = Math.min(Math.floor(to), Number.MAX_SAFE_INTEGER);
  for (let pageSize = 16; next <= last; ) {
    const rows = await sql.all<MessageRow>(
      `SELECT ${MESSAGE_COLUMNS} FROM coppice.messages WHERE session_key = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?`,
      sessionKey,
      next,
      last,
      pageSize,
    );
    for (const row of rows) yield decodeMessage(row);
    if (rows.length < pageSize) return;
    next = (rows.at(-1)?.seq ?? last) + 1;
    pageSize = nextPageSize(
      pageSize,
      rows.reduce((sum, row) => sum + row.text.length + (row.extra?.length ?? 0), 0),
    );
  }
}

/** Large pages for small messages, single rows for huge ones. */
function nextPageSize(pageSize: number, characters: number): number {
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

async function requireOpen(tx: Sql, id: string): Promise<SessionRow> {
  const row = await findRow(tx, id, LOCKED);
  if (row === undefined) throw await notLive(tx, id);
  if (row.ended_at === null) return row;
  if (row.end_reason !== ABANDONED) throw endedSession(id, row.end_reason ?? undefined);
  // Nobody ended it: it was only taken to be left, and here somebody goes on in it.
  await tx.run('UPDATE coppice.sessions SET ended_at = NULL, end_reason = NULL WHERE key = ?', row.key);
  return row;
}

function requireRoom(row: SessionRow, within: SessionSize): void {
  const size = sizeOf(row);
  if (size.messages >= within.messages || size.bytes >= within.bytes) throw fullSession(row.id, size, within);
}

function sizeOf(row: SessionRow): SessionSize {
  return {
    messages: row.message_count - row.output_count,
    bytes: row.content_bytes + row.transcript_bytes + row.dump_bytes,
  };
}
