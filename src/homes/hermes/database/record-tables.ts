import { createHash } from 'node:crypto';
import { oncePer } from '../../../core/once-per.ts';
import { bindRowLine, emptyCell, quoted, readRowLines } from '../../../platform/sqlite/row-lines.ts';
import { byteSum } from '../sessions/hermes-rows.ts';
import type { HermesDatabase } from './hermes-connection.ts';

/** Rows of one table, as lines. */
export interface TableLines {
  readonly table: string;
  readonly columns: readonly string[];
  readonly lines: readonly string[];
}

/** Some messages of a session in the order of their ids, and what tells whether they are still what was written down. */
export interface MessageChunk {
  readonly firstId: bigint;
  readonly lastId: bigint;
  readonly count: number;
  /** Of its lines, which says about how much work it is. */
  readonly sizeBytes: number;
  readonly digest: string;
}

/** A table whose rows belong to one session each, and the column that says which. */
export interface SideTable {
  readonly table: string;
  readonly column: string;
}

/** What Hermes keeps about a session beside its messages. Tables that are not here make a home one that is only shown. */
export const SIDE_TABLES: readonly SideTable[] = [
  { table: 'session_model_usage', column: 'session_id' },
  { table: 'telegram_dm_topic_bindings', column: 'session_id' },
  { table: 'compression_locks', column: 'session_id' },
];

/** Those of them that a database has. */
export function sideTables({ tables }: HermesDatabase): readonly SideTable[] {
  return SIDE_TABLES.filter(({ table, column }) => tables.get(table)?.has(column) === true);
}

/** The rows of a table in which a column has this value, as they are now. */
export function readTable(hermes: HermesDatabase, { table, column }: SideTable, value: string): TableLines {
  const columns = columnsOf(hermes, table);
  const where = inOrder(columns, column);
  return { table, columns, lines: readRowLines(hermes.db, { table, columns, where, values: [value] }) };
}

const inOrder = oncePer(
  (columns: readonly string[], column: string) => `${quoted(column)} = ? ORDER BY ${columns.map(quoted).join(', ')}`,
);

export interface ChunkQuery extends Pick<MessageChunk, 'firstId' | 'lastId'> {
  /** Of the session. */
  readonly id: string;
  readonly columns: readonly string[];
}

/** The messages of a chunk as they are now. */
export function readChunk({ db }: HermesDatabase, { id, firstId, lastId, columns }: ChunkQuery): string[] {
  const where = 'session_id = ? AND id BETWEEN ? AND ? ORDER BY id';
  return readRowLines(db, { table: 'messages', columns, where, values: [id, firstId, lastId] });
}

/** Messages in their order, and whether there are more behind them. */
export interface NextChunk {
  readonly lines: readonly string[];
  readonly more: boolean;
}

/** The first messages of a session of which is known that all of them together are one chunk. */
export function onlyChunk(hermes: HermesDatabase, id: string): NextChunk {
  const columns = columnsOf(hermes, 'messages');
  const where = `session_id = ? ORDER BY id LIMIT ${CHUNK_ROWS}`;
  const lines = readRowLines(hermes.db, { table: 'messages', columns, where, values: [id] });
  return { lines, more: lines.length === CHUNK_ROWS };
}

/** Whether so many messages of so many bytes are one chunk. */
export function isOneChunk({ count, sizeBytes }: { readonly count: number; readonly sizeBytes: number }): boolean {
  return count < CHUNK_ROWS && sizeBytes <= CHUNK_BYTES;
}

/** As many messages as make up a chunk, after the one with this id. */
export function nextChunk(hermes: HermesDatabase, id: string, after: bigint): NextChunk {
  const sizes = hermes.db
    .prepare<[string, bigint], [id: bigint, bytes: bigint]>(
      `SELECT id, ${byteSum(hermes, 'messages', '')} FROM messages
       WHERE session_id = ? AND id > ? ORDER BY id LIMIT ${CHUNK_ROWS}`,
    )
    .raw()
    .safeIntegers()
    .all(id, after);
  const [first] = sizes;
  if (first === undefined) return { lines: [], more: false };
  let count = 0;
  for (let sum = 0; count < sizes.length; count += 1) {
    sum += Number(sizes[count]?.[1]);
    if (sum > CHUNK_BYTES && count > 0) break;
  }
  const lastId = sizes[count - 1]?.[0] ?? first[0];
  const lines = readChunk(hermes, { id, firstId: first[0], lastId, columns: columnsOf(hermes, 'messages') });
  return { lines, more: count < sizes.length || sizes.length === CHUNK_ROWS };
}

/** Whether lines are as many as one step may deal with, with the write lock held for a moment only. */
export function isFullChunk(lines: readonly string[]): boolean {
  return lines.length >= CHUNK_ROWS || lengthOf(lines) >= CHUNK_BYTES;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length, 0);
}

const CHUNK_ROWS = 100;
/** Taking this much text out of the two search indexes takes tens of milliseconds. */
const CHUNK_BYTES = 32 * 1024;

/** What a chunk is known by, from its lines. */
export function chunkOf(columns: readonly string[], lines: readonly string[]): MessageChunk {
  const digest = createHash('sha256');
  const order = columns.indexOf(DISPLAY_ORDER);
  for (const line of lines) digest.update(order === -1 ? line : emptyCell(line, order)).update('\n');
  const firstId = messageId(columns, lines[0] ?? '[]');
  const lastId = messageId(columns, lines.at(-1) ?? '[]');
  return { firstId, lastId, count: lines.length, sizeBytes: lengthOf(lines), digest: digest.digest('hex') };
}

/** Triggers of Hermes count it anew in what is left whenever a copy of a message goes, so it says nothing about a change. */
const DISPLAY_ORDER = 'display_order';

/** The id of a message, from its line. Whole numbers are all that a primary key of this kind can hold. */
export function messageId(columns: readonly string[], line: string): bigint {
  const at = columns.indexOf('id');
  // It is the first of all in every home that Hermes made, and a line may be 20 MB long.
  const first = at === 0 ? /^\[(-?\d+),/.exec(line)?.[1] : undefined;
  return first === undefined ? (bindRowLine(line).values[at] as bigint) : BigInt(first);
}

export const columnsOf = oncePer(({ tables }: HermesDatabase, table: string): readonly string[] => [
  ...(tables.get(table)?.keys() ?? []),
]);
