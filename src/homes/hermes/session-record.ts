import { closeSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isJsonObject } from '../../core/json.ts';
import { readLines } from '../../platform/read-lines.ts';
import { findCutEntries } from './cut-entries.ts';
import type { HermesDatabase } from './hermes-connection.ts';
import {
  chunkOf,
  columnsOf,
  isFullChunk,
  type MessageChunk,
  nextChunk,
  readTable,
  type SideTable,
  type TableLines,
} from './record-tables.ts';
import { syncAll } from './sync-all.ts';

/**
 * Everything in the database that is about one session, as it stands in `rows.jsonl` in the trash: a line that says what it is,
 * then for each table a line with its name and columns and one line a row, messages last and in order, then a line that says
 * how many of them there are, so that nothing can be missing unnoticed.
 */
export interface SessionRecord {
  readonly id: string;
  readonly session: TableLines;
  /** Rows of other tables that belong to it. */
  readonly side: readonly TableLines[];
  /** Its messages, in pieces that one short step can deal with. */
  readonly chunks: readonly MessageChunk[];
  /** Messages whose entries in the search index end early; see `cut-entries.ts`. */
  readonly cut: readonly bigint[];
}

/** Writes the record of a session, to be sealed before anything happens to its rows. Undefined when there is no such session. */
export async function writeRecord(
  hermes: HermesDatabase & { readonly side: readonly SideTable[] },
  place: string,
  id: string,
): Promise<SessionRecord | undefined> {
  const session = readTable(hermes, { table: 'sessions', column: 'id' }, id);
  if (session.lines.length === 0) return undefined;
  const side = hermes.side.map((table) => readTable(hermes, table, id));
  const columns = columnsOf(hermes, 'messages');
  const chunks: MessageChunk[] = [];
  const cut: bigint[] = [];
  const handle = openSync(join(place, PART_NAME), 'w', 0o600);
  try {
    // Unlike a single write, this goes on until all of it is written.
    const write = (lines: readonly string[]) => writeFileSync(handle, `${lines.join('\n')}\n`);
    write([JSON.stringify({ format: FORMAT, version: VERSION, id })]);
    for (const table of [session, ...side]) write([headOf(table), ...table.lines]);
    write([headOf({ table: 'messages', columns })]);
    for (let lines = nextChunk(hermes, id, LOWEST_ID); lines.length > 0; ) {
      write(lines);
      const chunk = chunkOf(columns, lines);
      chunks.push(chunk);
      cut.push(...findCutEntries(hermes, { table: 'messages', columns, lines }));
      await setImmediate();
      lines = nextChunk(hermes, id, chunk.lastId);
    }
    write([JSON.stringify({ messages: countOf(chunks), cut: cut.map(String) })]);
  } finally {
    closeSync(handle);
  }
  return { id, session, side, chunks, cut };
}

/** Makes records count, and survive a power cut: until then they are parts that nobody reads. */
export async function sealRecords(places: readonly string[]): Promise<void> {
  await syncAll(places.map((place) => join(place, PART_NAME)));
  for (const place of places) renameSync(join(place, PART_NAME), join(place, ROWS_NAME));
  await syncAll(places);
}

export type OnChunk = (messages: TableLines) => Promise<void> | void;

/** Reads a record back. Messages are given away chunk by chunk as they come: a session may not fit into memory. */
export async function readRecord(place: string, onChunk: OnChunk = () => undefined): Promise<SessionRecord> {
  const tables: { table: string; columns: readonly string[]; lines: string[] }[] = [];
  const chunks: MessageChunk[] = [];
  const giveChunk = async (full: (lines: readonly string[]) => boolean) => {
    const last = tables.at(-1);
    if (last?.table !== 'messages' || last.lines.length === 0 || !full(last.lines)) return;
    chunks.push(chunkOf(last.columns, last.lines));
    await onChunk(last);
    last.lines = [];
  };
  const heads: unknown[] = [];
  for await (const line of readLines(join(place, ROWS_NAME), { maxLineBytes: Number.POSITIVE_INFINITY })) {
    const json = line.tooLong === true ? '' : line.text;
    if (json.startsWith('[')) {
      tables.at(-1)?.lines.push(json);
      await giveChunk(isFullChunk);
      continue;
    }
    const head: unknown = JSON.parse(json);
    heads.push(head);
    if (isJsonObject(head) && Array.isArray(head['columns'])) {
      tables.push({ table: text(head['table']), columns: head['columns'].map(text), lines: [] });
    }
  }
  await giveChunk(() => true);
  const [about] = heads;
  const [session, ...side] = tables.filter(({ table }) => table !== 'messages');
  const end = heads.at(-1);
  const cut = isJsonObject(end) && end['messages'] === countOf(chunks) ? end['cut'] : undefined;
  if (!Array.isArray(cut) || !isJsonObject(about) || about['version'] !== VERSION || session === undefined) {
    throw new Error(`${place} holds no record that can be read`);
  }
  return { id: text(about['id']), session, side, chunks, cut: cut.map((id) => BigInt(text(id))) };
}

export function hasRecord(place: string): boolean {
  return lstatSync(join(place, ROWS_NAME), { throwIfNoEntry: false }) !== undefined;
}

/** Takes a record away, once its rows are where they were. */
export function dropRecord(place: string): void {
  for (const name of [ROWS_NAME, PART_NAME]) rmSync(join(place, name), { force: true });
}

const ROWS_NAME = 'rows.jsonl';
/** Until it is complete and sealed. */
const PART_NAME = 'rows.jsonl.part';
const FORMAT = 'coppice hermes session';
const VERSION = 1;
const LOWEST_ID = -(2n ** 63n);

function countOf(chunks: readonly MessageChunk[]): number {
  return chunks.reduce((sum, { count }) => sum + count, 0);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function headOf({ table, columns }: Pick<TableLines, 'table' | 'columns'>): string {
  return JSON.stringify({ table, columns });
}
