import { isOutput, type NewMessage } from '../../../core/sessions/message.ts';
import type { SessionSize } from '../../../core/sessions/session.ts';
import type { EpochMs } from '../../../core/time.ts';
import { encodeMessage, rowBytes } from '../../rows/message-rows.ts';
import type { Database } from '../database/database.ts';
import { numbered, outputIn, toolCallsIn } from './message-writes.ts';

/** Messages of one session that were asked for by one or many. */
export interface SessionAppend {
  readonly id: string;
  readonly messages: readonly NewMessage[];
}

export interface Stored {
  readonly lastSeq: number;
  readonly size: SessionSize;
}

/**
 * Stores messages of many sessions with one statement: it counts them up, adds them, and notes what it answers. Only sessions that are
 * open and claimed by this holder take part, which is where nothing needs to be decided; of any other nothing is stored, and nothing is
 * answered. The rows are locked in one order by everybody.
 */
export async function appendAtOnce(
  db: Database,
  appends: readonly SessionAppend[],
  { holderId, now }: { readonly holderId: string; readonly now: EpochMs },
): Promise<ReadonlyMap<string, Stored>> {
  const rows = appends.flatMap(({ messages }, place) =>
    numbered(messages, 0, now).map((message) => ({ place, message, row: encodeMessage(message) })),
  );
  const bytes = appends.map(() => 0);
  for (const { place, row } of rows) bytes[place] = (bytes[place] ?? 0) + rowBytes(row);
  const stored = await db.writeAtOnce<StoredRow>(STATEMENT, (id) => [
    appends.map((append) => append.id),
    appends.map(({ messages }) => messages.length),
    appends.map(({ messages }) => outputIn(messages)),
    appends.map(({ messages }) => toolCallsIn(messages)),
    bytes,
    holderId,
    now,
    rows.map(({ place }) => place + 1),
    rows.map(({ row }) => row.seq),
    rows.map(({ row }) => row.role),
    rows.map(({ row }) => row.at),
    rows.map(({ row }) => row.text),
    rows.map(({ row }) => row.extra),
    rows.map(({ message }) => Number(isOutput(message))),
    id,
  ]);
  return new Map(
    stored.map((row) => [
      appends[row.place - 1]?.id ?? '',
      { lastSeq: row.last_seq, size: { messages: row.messages, bytes: row.bytes } },
    ]),
  );
}

interface StoredRow {
  readonly place: number;
  readonly last_seq: number;
  readonly messages: number;
  readonly bytes: number;
}

const STATEMENT = `WITH given AS (
  SELECT * FROM unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
    WITH ORDINALITY AS g (id, count, printed, calls, bytes, place)
), locked AS (
  SELECT s.key, g.* FROM coppice.sessions s JOIN given g ON s.id = g.id
  WHERE s.space = :space AND s.state = 'live' AND s.ended_at IS NULL
    AND EXISTS (SELECT 1 FROM coppice.leases l WHERE l.session_key = s.key AND l.holder_id = ?)
  ORDER BY s.key FOR UPDATE OF s
), counted AS (
  UPDATE coppice.sessions s SET last_seq = s.last_seq + l.count, message_count = s.message_count + l.count,
    output_count = s.output_count + l.printed, tool_call_count = s.tool_call_count + l.calls,
    content_bytes = s.content_bytes + l.bytes, transcript_seq = s.last_seq + l.count, last_active_at = greatest(?::bigint, s.last_active_at)
  FROM locked l WHERE s.key = l.key
  RETURNING s.key, l.place, s.last_seq, s.last_seq - l.count AS before, s.message_count - s.output_count AS messages,
    s.content_bytes + s.transcript_bytes + s.dump_bytes AS bytes
), added AS (
  INSERT INTO coppice.messages (session_key, seq, role, at, text, extra, is_output)
  SELECT c.key, c.before + m.seq, m.role, m.at, m.text, m.extra, m.is_output
  FROM unnest(?::bigint[], ?::bigint[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::smallint[])
    WITH ORDINALITY AS m (place, seq, role, at, text, extra, is_output, number) JOIN counted c ON c.place = m.place
  ORDER BY m.number
), noted AS (
  INSERT INTO coppice.commits (id, result)
  SELECT ?::uuid, coalesce(json_agg(json_build_object('place', place, 'last_seq', last_seq, 'messages', messages, 'bytes', bytes)), '[]')::text
  FROM counted
)
SELECT place, last_seq, messages, bytes FROM counted`;
