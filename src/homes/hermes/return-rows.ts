import { errorCode } from '../../platform/error-code.ts';
import type { HermesDatabase } from './hermes-connection.ts';
import { insertLines } from './insert-lines.ts';
import { columnsOf, readTable, type TableLines } from './record-tables.ts';
import { emptyCell } from './row-lines.ts';
import { cellOf, promptOf, readRecord, type SessionRecord } from './session-record.ts';
import { settleMessages } from './settle-messages.ts';
import type { TakeDesk } from './take-desk.ts';

/**
 * Inserts the rows of a record again, with the ids and values they had: the session with its first messages in one step, the
 * others chunk by chunk. What is there already stays, so that it can be begun again after a crash. A sentence when the database
 * refuses the session; then nothing of it was inserted.
 */
export async function returnRows(desk: TakeDesk, number: number, record: SessionRecord): Promise<string | undefined> {
  const { hermes, links } = desk;
  const { records } = desk.trash;
  const prompt = keptPrompt(desk, number, record);
  const parent = missingParent(hermes, record);
  if (parent !== undefined) links.add([{ child: record.id, parent }]);
  const insertFirst = (messages?: TableLines) =>
    hermes.write(() => {
      if (sessionState(hermes, record) === 'absent') insertSession(desk, record, prompt);
      if (messages !== undefined) settleMessages(hermes, record, messages);
    });
  let begun = false;
  try {
    await readRecord(records, number, async (messages) => {
      if (begun) await hermes.write(() => settleMessages(hermes, record, messages));
      else await insertFirst(messages);
      begun = true;
    });
    if (!begun) await insertFirst();
    return undefined;
  } catch (error) {
    if (begun || !(errorCode(error) ?? '').startsWith('SQLITE_CONSTRAINT')) throw error;
    return refusal(error);
  }
}

/**
 * Whether the session of a record is in the database: the very same one, another one with its id, or none. Its first message is
 * the last one that is taken and the first that comes back, so a part of the session is still the same session.
 */
export function sessionState(hermes: HermesDatabase, record: SessionRecord): 'same' | 'other' | 'absent' {
  const now = readTable(hermes, { table: 'sessions', column: 'id' }, record.id);
  if (now.lines.length === 0) return 'absent';
  const [startedAt, recorded] = [now, record.session].map((table) => JSON.stringify(cellOf(table, 'started_at')));
  if (startedAt !== recorded) return 'other';
  const [chunk] = record.chunks;
  if (chunk === undefined) return 'same';
  const found = hermes.db.prepare('SELECT 1 FROM messages WHERE id = ? AND session_id = ?');
  return found.get(chunk.firstId, record.id) === undefined ? 'other' : 'same';
}

function missingParent(hermes: HermesDatabase, { session }: SessionRecord): string | undefined {
  const parent = cellOf(session, 'parent_session_id');
  return typeof parent === 'string' && !sessionExists(hermes, parent) ? parent : undefined;
}

export function sessionExists({ db }: HermesDatabase, id: string): boolean {
  return db.prepare('SELECT 1 FROM sessions WHERE id = ?').get(id) !== undefined;
}

function keptPrompt({ trash }: TakeDesk, number: number, record: SessionRecord): TableLines | undefined {
  const hash = promptOf(record);
  const [head, ...lines] = (hash !== undefined && trash.records.prompt(number, hash)) || [];
  return head === undefined ? undefined : { ...(JSON.parse(head) as Pick<TableLines, 'table' | 'columns'>), lines };
}

/** The session after its prompt and before what belongs to it, and the links between it and others that are there. */
function insertSession({ hermes, links }: TakeDesk, record: SessionRecord, prompt: TableLines | undefined): void {
  if (prompt !== undefined) insertLines(hermes, prompt, 'OR IGNORE');
  const parent = missingParent(hermes, record);
  const at = record.session.columns.indexOf('parent_session_id');
  insertLines(hermes, parent === undefined ? record.session : withoutCell(record.session, at));
  // A chat that was bound to another session meanwhile stays with that one.
  for (const table of record.side) insertLines(hermes, table, 'OR IGNORE');
  const link = hermes.db.prepare(
    'UPDATE sessions SET parent_session_id = ? WHERE id = ? AND parent_session_id IS NULL',
  );
  for (const { child, parent: before } of links.of(record.id)) {
    if (sessionExists(hermes, before)) link.run(before, child);
  }
}

function withoutCell(table: TableLines, at: number): TableLines {
  return { ...table, lines: table.lines.map((line) => emptyCell(line, at)) };
}

/** Whether every column of a record still exists. New ones get what Hermes gives them by default. */
export function fitsSchema(hermes: HermesDatabase, { session, side }: SessionRecord): boolean {
  return [session, ...side].every(({ table, columns, lines }) => {
    const known = new Set(columnsOf(hermes, table));
    return lines.length === 0 || columns.every((column) => known.has(column));
  });
}

function refusal(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes('sessions.title')) return 'Another session has its title by now. Rename that one first.';
  return `The database of Hermes refused it: ${message}.`;
}
