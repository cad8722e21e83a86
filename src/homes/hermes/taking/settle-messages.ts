import { createHash } from 'node:crypto';
import { bindRowLine, quoted } from '../../../platform/sqlite/row-lines.ts';
import { cutEntries } from '../database/cut-entries.ts';
import type { HermesDatabase } from '../database/hermes-connection.ts';
import { insertLines } from '../database/insert-lines.ts';
import { type MessageChunk, messageId, readChunk, type TableLines } from '../database/record-tables.ts';
import { cutIn, type SessionRecord } from './session-record.ts';

/** Some messages of a session, as its record has them. */
export interface RecordedMessages {
  readonly record: SessionRecord;
  readonly messages: TableLines;
  readonly chunk: MessageChunk;
}

/**
 * Makes messages exactly what their lines say: those that are missing are inserted, and what a trigger of Hermes made of any of them
 * is set back. They are laid out beside the database first; the step that is returned is for under the write lock, and brings
 * all of them in one statement, because with every single one SQLite would add a part to each search index.
 */
export function settleMessages(hermes: HermesDatabase, pieces: readonly RecordedMessages[]): () => void {
  const laid = [...byColumns(pieces).values()].map((same) => layOut(hermes, same));
  return () => {
    const cut = pieces.flatMap(({ record, chunk }) =>
      cutIn(record, chunk).filter((id) => !hasMessage(hermes, record.id, id)),
    );
    for (const { insert } of laid) insert();
    cutEntries(hermes, cut);
    for (const { changed } of laid) setBackAll(hermes, pieces, changed());
  };
}

/** Records that were written at different times may know different columns. */
function byColumns(pieces: readonly RecordedMessages[]): ReadonlyMap<string, RecordedMessages[]> {
  const groups = new Map<string, RecordedMessages[]>();
  for (const piece of pieces) {
    const key = piece.messages.columns.join('\0');
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(piece);
  }
  return groups;
}

interface LaidOut {
  /** Inserts those that are missing. */
  readonly insert: () => void;
  /** The ids of those that are there and differ. SQLite compares: a message may be 20 MB long, and the lock is held. */
  readonly changed: () => readonly bigint[];
}

/** In a table that is only this connection's, without types, so that every value stays what it is. */
function layOut(hermes: HermesDatabase, pieces: readonly RecordedMessages[]): LaidOut {
  const { db } = hermes;
  const columns = pieces[0]?.messages.columns ?? [];
  const table = `coming_${createHash('sha256').update(columns.join('\0')).digest('hex').slice(0, 16)}`;
  const names = columns.map(quoted).join(', ');
  db.exec(`CREATE TEMP TABLE IF NOT EXISTS ${table} (${names})`);
  db.transaction(() => {
    db.prepare(`DELETE FROM temp.${table}`).run();
    for (const { messages } of pieces) insertLines(hermes, { ...messages, table });
  })();
  const same = 'm.id = c.id AND m.session_id = c.session_id';
  const insert = db.prepare(
    `INSERT INTO main.messages (${names}) SELECT ${names} FROM temp.${table} AS c
     WHERE NOT EXISTS (SELECT 1 FROM main.messages AS m WHERE ${same}) ORDER BY c.id`,
  );
  const differs = columns.map(quoted).map((name) => `m.${name} IS NOT c.${name}`);
  const changed = db
    .prepare<[], bigint>(
      `SELECT m.id FROM temp.${table} AS c CROSS JOIN main.messages AS m ON ${same} WHERE ${differs.join(' OR ')}`,
    )
    .pluck()
    .safeIntegers();
  return { insert: () => void insert.run(), changed: () => changed.all() };
}

function hasMessage({ db }: HermesDatabase, session: string, id: bigint): boolean {
  return db.prepare('SELECT 1 FROM messages WHERE id = ? AND session_id = ?').get(id, session) !== undefined;
}

/** Parts of several sessions may lie between each other, so each message is looked for in all of them. */
function setBackAll(hermes: HermesDatabase, pieces: readonly RecordedMessages[], ids: readonly bigint[]): void {
  const wanted = new Set(ids);
  if (wanted.size === 0) return;
  for (const { record, messages } of pieces) {
    const { columns } = messages;
    for (const line of messages.lines) {
      const id = messageId(columns, line);
      const [now] = wanted.has(id) ? readChunk(hermes, { id: record.id, firstId: id, lastId: id, columns }) : [];
      if (now !== undefined && now !== line) setBack(hermes, columns, { now, line });
    }
  }
}

function cells(line: string): string[] {
  return (JSON.parse(line) as readonly unknown[]).map((cell) => JSON.stringify(cell));
}

/** Only the columns that differ: the search index listens to some of the others. */
function setBack(
  { db }: HermesDatabase,
  columns: readonly string[],
  { now, line }: { readonly now: string; readonly line: string },
): void {
  const present = cells(now);
  const wanted = cells(line);
  const { places, values } = bindRowLine(line);
  const changed = columns.map((_, at) => at).filter((at) => present[at] !== wanted[at]);
  const assignments = changed.map((at) => `${quoted(columns[at] ?? '')} = ${places[at] ?? '?'}`);
  const given = changed.map((at) => values[at]);
  db.prepare(`UPDATE messages SET ${assignments.join(', ')} WHERE id = ?`).run(...given, messageId(columns, line));
}
