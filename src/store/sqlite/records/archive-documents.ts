import type { ArchiveDocument, ArchivedRewind } from '../../../core/stores/session-archive.ts';
import type { Connection } from '../database/connection.ts';
import { decodeMessage, type MessageRow } from '../../rows/message-rows.ts';
import { nextPageSize } from '../sessions/message-writes.ts';
import { factsOf, modelUsageOf, type UsageRow } from '../../rows/session-rows.ts';
import { requireRow } from '../sessions/session-writes.ts';

/** Everything of a live session: its facts first, then usage, what was taken back, and its messages in order, a page at a time. */
export async function* archiveDocuments(db: Connection, id: string): AsyncGenerator<readonly string[]> {
  const row = requireRow(db, id);
  const session = { ...factsOf(row), lastSeq: row.last_seq, transcriptSeq: row.transcript_seq };
  const usage = db.sql<[number], UsageRow>('SELECT * FROM usage WHERE session_key = ? ORDER BY model').all(row.key);
  const rewinds = db
    .sql<[number], ArchivedRewind>(
      `SELECT run_id AS runId, after_seq AS afterSeq, last_seq AS lastSeq FROM rewinds
       WHERE session_key = ? ORDER BY run_id`,
    )
    .all(row.key);
  const documents: ArchiveDocument[] = [
    { kind: 'session', session },
    ...usage.map((each) => ({ kind: 'usage', usage: modelUsageOf(each) }) as const),
    ...rewinds.map((rewind) => ({ kind: 'rewind', rewind }) as const),
  ];
  yield documents.map((each) => JSON.stringify(each));
  yield* messagePages(db, row.key);
}

/**
 * A message that is only text is written by SQLite: what never becomes an object costs a fraction. Of others it gives an array of
 * their columns.
 */
function* messagePages(db: Connection, key: number): Generator<readonly string[]> {
  const last = db.sql<[number], number | null>('SELECT max(seq) FROM messages WHERE session_key = ?').pluck().get(key);
  const select = db
    .sql<[number, number, number], string>(
      `SELECT CASE WHEN extra IS NULL
         THEN json_object('kind', 'message', 'message', json_object('seq', seq, 'role', role, 'at', at, 'content', text))
         ELSE json_array(seq, role, at, text, extra) END
       FROM messages WHERE session_key = ? AND seq >= ? AND seq < ? ORDER BY seq`,
    )
    .pluck();
  let pageSize = 16;
  for (let next = 1; next <= (last ?? 0); ) {
    const lines = select.all(key, next, next + pageSize).map(documentOf);
    yield lines;
    next += pageSize;
    pageSize = nextPageSize(
      pageSize,
      lines.reduce((sum, { length }) => sum + length, 0),
    );
  }
}

function documentOf(line: string): string {
  if (!line.startsWith('[')) return line;
  const [seq, role, at, text, extra] = JSON.parse(line) as ColumnsOf<MessageRow>;
  return JSON.stringify({
    kind: 'message',
    message: decodeMessage({ seq, role, at, text, extra }),
  } satisfies ArchiveDocument);
}

type ColumnsOf<R extends MessageRow> = readonly [R['seq'], R['role'], R['at'], R['text'], R['extra']];
