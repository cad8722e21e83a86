import type { ArchiveDocument, ArchivedRewind } from '../../../core/stores/session-archive.ts';
import { factsOf, modelUsageOf, type UsageRow } from '../../rows/session-rows.ts';
import type { Sql } from '../database/sql.ts';
import { storedMessages } from '../sessions/message-writes.ts';
import { readRow } from '../sessions/session-writes.ts';

/** Messages that are given at once. */
const PAGE = 64;

/** Everything of a live session: its facts first, then usage, what was taken back, and its messages in order, some at a time. */
export async function* archiveDocuments(sql: Sql, id: string): AsyncGenerator<readonly string[]> {
  const row = await readRow(sql, id);
  const session = { ...factsOf(row), lastSeq: row.last_seq, transcriptSeq: row.transcript_seq };
  const usage = await sql.all<UsageRow>('SELECT * FROM coppice.usage WHERE session_key = ? ORDER BY model', row.key);
  const rewinds = await sql.all<ArchivedRewind>(
    `SELECT run_id AS "runId", after_seq AS "afterSeq", last_seq AS "lastSeq" FROM coppice.rewinds
     WHERE session_key = ? ORDER BY run_id`,
    row.key,
  );
  const documents: ArchiveDocument[] = [
    { kind: 'session', session },
    ...usage.map((each) => ({ kind: 'usage', usage: modelUsageOf(each) }) as const),
    ...rewinds.map((rewind) => ({ kind: 'rewind', rewind }) as const),
  ];
  yield documents.map((each) => JSON.stringify(each));
  let page: string[] = [];
  for await (const message of storedMessages(sql, row.key, {})) {
    page.push(JSON.stringify({ kind: 'message', message } satisfies ArchiveDocument));
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
