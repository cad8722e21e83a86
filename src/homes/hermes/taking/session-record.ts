import { setImmediate } from 'node:timers/promises';
import { isJsonObject } from '../../../core/json.ts';
import { findCutEntries } from '../database/cut-entries.ts';
import type { HermesDatabase } from '../database/hermes-connection.ts';
import {
  chunkOf,
  columnsOf,
  isFullChunk,
  type MessageChunk,
  nextChunk,
  onlyChunk,
  readTable,
  type SideTable,
  type TableLines,
} from '../database/record-tables.ts';
import type { RecordBook } from './record-book.ts';
import type { RecordWriter } from './record-writer.ts';

/**
 * Everything in the database that is about one session, as it stands in the trash: a line that says what it is,
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

export interface RecordRequest {
  readonly number: number;
  readonly id: string;
  /** All its messages were one chunk a moment ago, so that nobody has to ask for their sizes first. */
  readonly short?: boolean;
}

/** Writes the record of a session, to be sealed before anything happens to its rows. Undefined when there is no such session. */
export async function writeRecord(
  hermes: HermesDatabase & { readonly side: readonly SideTable[] },
  writer: RecordWriter,
  { number, id, short = false }: RecordRequest,
): Promise<SessionRecord | undefined> {
  const session = readTable(hermes, { table: 'sessions', column: 'id' }, id);
  if (session.lines.length === 0) return undefined;
  const side = hermes.side.map((table) => readTable(hermes, table, id));
  const columns = columnsOf(hermes, 'messages');
  const chunks: MessageChunk[] = [];
  const cut: bigint[] = [];
  writer.begin(number);
  writer.add([JSON.stringify({ format: FORMAT, version: VERSION, id })]);
  for (const table of [session, ...side, { table: 'messages', columns, lines: [] }]) writer.add(withHead(table));
  for (let after = LOWEST_ID, more = true; more; ) {
    const next = short && chunks.length === 0 ? onlyChunk(hermes, id) : nextChunk(hermes, id, after);
    const { lines } = next;
    more = next.more;
    if (lines.length === 0) break;
    writer.add(lines);
    const chunk = chunkOf(columns, lines);
    chunks.push(chunk);
    cut.push(...findCutEntries(hermes, { table: 'messages', columns, lines }));
    after = chunk.lastId;
    if (more) await setImmediate();
  }
  writer.add([JSON.stringify({ messages: countOf(chunks), cut: cut.map(String) })]);
  writer.end();
  return { id, session, side, chunks, cut };
}

/** The rows of a table after a line with its name and columns. */
export function withHead({ table, columns, lines }: TableLines): readonly string[] {
  return [JSON.stringify({ table, columns }), ...lines];
}

/** The hash of the system prompt that a session has, where prompts have a table of their own. */
export function promptOf({ session }: SessionRecord): string | undefined {
  const hash = cellOf(session, 'system_prompt_hash');
  return typeof hash === 'string' ? hash : undefined;
}

/** The first row's value in a column, as it stands in its line. */
export function cellOf({ columns, lines }: TableLines, column: string): unknown {
  const values = JSON.parse(lines[0] ?? '[]') as readonly unknown[];
  return values[columns.indexOf(column)] ?? null;
}

/** Those of its messages in a chunk whose entries in the search index end early. */
export function cutIn({ cut }: SessionRecord, { firstId, lastId }: MessageChunk): readonly bigint[] {
  return cut.filter((id) => id >= firstId && id <= lastId);
}

export type OnChunk = (messages: TableLines, chunk: MessageChunk) => Promise<void> | void;

/** Reads a record back. Messages are given away chunk by chunk as they come: a session may not fit into memory. */
export async function readRecord(
  records: RecordBook,
  number: number,
  onChunk: OnChunk = () => undefined,
): Promise<SessionRecord> {
  const tables: { table: string; columns: readonly string[]; lines: string[] }[] = [];
  const chunks: MessageChunk[] = [];
  const giveChunk = async (full: (lines: readonly string[]) => boolean) => {
    const last = tables.at(-1);
    if (last?.table !== 'messages' || last.lines.length === 0 || !full(last.lines)) return;
    const chunk = chunkOf(last.columns, last.lines);
    chunks.push(chunk);
    await onChunk({ ...last }, chunk);
    last.lines = [];
  };
  const heads: unknown[] = [];
  for (const json of records.lines(number)) {
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
    throw new Error(`the record of item ${number} cannot be read`);
  }
  return { id: text(about['id']), session, side, chunks, cut: cut.map((id) => BigInt(text(id))) };
}

const FORMAT = 'coppice hermes session';
const VERSION = 2;
const LOWEST_ID = -(2n ** 63n);

function countOf(chunks: readonly MessageChunk[]): number {
  return chunks.reduce((sum, { count }) => sum + count, 0);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
