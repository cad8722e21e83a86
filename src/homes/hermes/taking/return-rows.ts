import { emptyCell } from '../../../platform/sqlite/row-lines.ts';
import type { HermesDatabase } from '../database/hermes-connection.ts';
import { insertLines } from '../database/insert-lines.ts';
import { columnsOf, readTable, type TableLines } from '../database/record-tables.ts';
import { type Refusal, refusalOf } from '../database/refusal.ts';
import { cellOf, promptOf, readRecord, type SessionRecord } from './session-record.ts';
import { type RecordedMessages, settleMessages } from './settle-messages.ts';
import type { TakeDesk } from './take-desk.ts';

/** A session that comes back, and its messages if they are few enough to be brought in one step. */
export interface ComingSession {
  readonly number: number;
  readonly record: SessionRecord;
  /** The names of its files, which are back already. */
  readonly files: readonly string[];
  /** An earlier attempt brought some of its rows. */
  readonly begun: boolean;
  readonly messages?: readonly RecordedMessages[];
}

/** Why a session did not come back. `begun` means that the first of its messages did, now or in an earlier attempt. */
export interface ReturnRefusal extends Refusal {
  readonly begun: boolean;
}

/**
 * Inserts the rows of sessions again, with the ids and values they had: short ones together in one step, a long one chunk by chunk
 * with its first messages in the step that brings the session. What is there already stays, so that it can be begun again after a crash.
 * Gives for each why the database refused it; then nothing of it was inserted, unless `begun` says so.
 */
export async function returnRows(
  desk: TakeDesk,
  coming: readonly ComingSession[],
): Promise<readonly (ReturnRefusal | undefined)[]> {
  const [first] = coming;
  if (first === undefined) return [];
  linkLater(desk, coming);
  const begun = { rows: first.begun };
  try {
    if (first.messages === undefined) await returnLong(desk, first, begun);
    else await insertStep(desk, { coming, pieces: coming.flatMap(({ messages = [] }) => messages) });
    return coming.map(() => undefined);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    if (coming.length === 1) return [{ ...inWords(refusal), begun: begun.rows }];
  }
  // One of them stands in the way of all, and each is told alone.
  const answers: (ReturnRefusal | undefined)[] = [];
  for (const one of coming) answers.push(...(await returnRows(desk, [one])));
  return answers;
}

/** The later parts of a long session come one after the other. */
async function returnLong(desk: TakeDesk, long: ComingSession, begun: { rows: boolean }): Promise<void> {
  const { record } = long;
  let coming = [long];
  await readRecord(desk.trash.records, long.number, async (messages, chunk) => {
    await insertStep(desk, { coming, pieces: [{ record, messages, chunk }] });
    coming = [];
    begun.rows = true;
  });
}

interface InsertStep {
  /** Sessions whose own rows come now. */
  readonly coming: readonly ComingSession[];
  readonly pieces: readonly RecordedMessages[];
}

async function insertStep(desk: TakeDesk, { coming, pieces }: InsertStep): Promise<void> {
  const { hermes } = desk;
  const prompts = coming.map(({ number, record }) => keptPrompt(desk, number, record));
  const settle = settleMessages(hermes, pieces);
  await hermes.write(
    () => {
      coming.forEach(({ record }, at) => {
        if (sessionState(hermes, record) === 'absent') insertSession(desk, record, prompts[at]);
      });
      settle();
    },
    () => pieces.map(({ chunk }) => chunk),
  );
}

/** Those whose parents may come back after them. */
function linkLater({ hermes, links }: TakeDesk, coming: readonly ComingSession[]): void {
  links.add(
    coming.flatMap(({ record }) => {
      const parent = missingParent(hermes, record);
      return parent === undefined ? [] : [{ child: record.id, parent }];
    }),
  );
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

function inWords({ stays }: Refusal): Refusal {
  return {
    stays: stays.includes('sessions.title') ? 'Another session has its title by now. Rename that one first.' : stays,
  };
}
