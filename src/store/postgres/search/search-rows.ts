import type { Sql } from '../database/sql.ts';
import { searchedText } from './searched-text.ts';

/** So much text enters the index in one transaction, unless a single message has more. */
const PORTION_CHARACTERS = 250_000;
const PORTION_MESSAGES = 500;

/**
 * Indexes a portion of what nobody has indexed yet. Each session says itself up to which message that was done, in its row, which every
 * writer of the session locks: what is seen there is all there is. Returns whether something may be left.
 */
export async function indexPortion(tx: Sql): Promise<boolean> {
  // Whoever is at a session indexes it; nobody waits for it here.
  const behind = await tx.get<{ key: number; indexed_seq: number; last_seq: number }>(
    `SELECT key, indexed_seq, last_seq FROM coppice.sessions WHERE space = :space AND indexed_seq < last_seq
     ORDER BY key LIMIT 1 FOR UPDATE SKIP LOCKED`,
  );
  if (behind === undefined) return false;
  const rows = await nextMessages(tx, behind);
  if (rows.length > 0) await insertRows(tx, behind.key, rows);
  const last = rows.at(-1)?.seq ?? behind.last_seq;
  const isAll = rows.length === 0 || last >= behind.last_seq;
  await tx.run(
    'UPDATE coppice.sessions SET indexed_seq = ? WHERE key = ?',
    isAll ? Math.max(last, behind.last_seq) : last,
    behind.key,
  );
  return true;
}

interface TextRow {
  readonly id: number;
  readonly seq: number;
  readonly text: string;
}

async function nextMessages(
  tx: Sql,
  { key, indexed_seq: after }: { readonly key: number; readonly indexed_seq: number },
): Promise<readonly TextRow[]> {
  // How long they are comes first: a portion of large messages must not stand in memory as a whole.
  const lengths = await tx.all<{ seq: number; characters: number }>(
    `SELECT seq, least(length(text), 100000) AS characters FROM coppice.messages WHERE session_key = ? AND seq > ?
     ORDER BY seq LIMIT ${PORTION_MESSAGES}`,
    key,
    after,
  );
  let characters = 0;
  const until = lengths.find((row) => (characters += row.characters) >= PORTION_CHARACTERS) ?? lengths.at(-1);
  if (until === undefined) return [];
  return tx.all<TextRow>(
    `SELECT id, seq, substr(text, 1, 100000) AS text FROM coppice.messages
     WHERE session_key = ? AND seq > ? AND seq <= ? ORDER BY seq`,
    key,
    after,
    until.seq,
  );
}

async function insertRows(tx: Sql, sessionKey: number, rows: readonly TextRow[]): Promise<void> {
  const searched = rows.map(({ text }) => searchedText(text));
  // Lists are sent as JSON: an array of arrays would have to be of one length.
  const inserted = await tx.get<{ messages: number; words: number }>(
    `WITH added AS (
       INSERT INTO coppice.search (message_id, space, session_key, words, shorts, folded)
       SELECT m.id, :space, ?, ARRAY(SELECT json_array_elements_text(m.words::json)),
         CASE WHEN m.shorts IS NULL THEN NULL ELSE ARRAY(SELECT json_array_elements_text(m.shorts::json)) END, m.folded
       FROM unnest(?::bigint[], ?::text[], ?::text[], ?::text[]) AS m (id, words, shorts, folded)
       ON CONFLICT DO NOTHING RETURNING cardinality(words) AS words)
     SELECT count(*) AS messages, coalesce(sum(words), 0)::bigint AS words FROM added`,
    sessionKey,
    rows.map(({ id }) => id),
    searched.map(({ words }) => JSON.stringify(words)),
    searched.map(({ shorts }) => (shorts === null ? null : JSON.stringify(shorts))),
    searched.map(({ folded }) => folded),
  );
  if (inserted !== undefined) await countSearched(tx, inserted.messages, inserted.words);
}

/** How many messages and words there are to search, by which a match is weighed. */
export async function countSearched(tx: Sql, messages: number, words: number): Promise<void> {
  await tx.run(
    'UPDATE coppice.search_totals SET messages = messages + ?, words = words + ? WHERE space = :space',
    messages,
    words,
  );
}
