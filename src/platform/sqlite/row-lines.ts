import { isUtf8 } from 'node:buffer';
import type { Database } from 'better-sqlite3';
import { isJsonObject } from '../../core/json.ts';
import { oncePer } from '../../core/once-per.ts';

/** Rows of one table. `where` names them, with `?` for each of `values`, and may go on with an order and a limit. */
export interface RowQuery {
  readonly table: string;
  readonly columns: readonly string[];
  readonly where: string;
  readonly values: readonly unknown[];
}

/**
 * Rows as lines of JSON, one list of values each, from which the very same rows can be made again: whole and broken numbers of
 * any size, text that is no valid UTF-8, bytes, and nothing at all are told apart.
 */
export function readRowLines(db: Database, query: RowQuery): string[] {
  const { table, columns, where, values } = query;
  const rows = select(db, selectColumns(columns, table, where), values);
  if (!rows.some((row) => row.some(mayBeReplaced))) return rows.map((row) => JSON.stringify(row.map(encode)));
  const from = `FROM ${quoted(table)} WHERE ${where}`;
  const exact = columns.map(quoted).map((name) => `iif(typeof(${name}) = 'text', CAST(${name} AS BLOB), ${name})`);
  const types = columns.map((name) => `typeof(${quoted(name)})`);
  return select(db, `SELECT ${[...exact, ...types].join(', ')} ${from}`, values).map((row) => {
    const cells = row.slice(0, columns.length);
    return JSON.stringify(cells.map((cell, at) => (row[columns.length + at] === 'text' ? text(cell) : encode(cell))));
  });
}

const selectColumns = oncePer(
  (columns: readonly string[], table: string, where: string) =>
    `SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table)} WHERE ${where}`,
);

/** One row for an `INSERT` or an `UPDATE`: what stands for each value in the statement, and the values. */
export interface RowBinding {
  readonly places: readonly string[];
  readonly values: readonly unknown[];
}

/** Reads a line that `readRowLines` made. */
export function bindRowLine(line: string): RowBinding {
  const cells = (JSON.parse(line) as readonly unknown[]).map(decode);
  return { places: cells.map(({ place }) => place), values: cells.map(({ value }) => value) };
}

/** The same line with nothing in one place. */
export function emptyCell(line: string, at: number): string {
  return JSON.stringify((JSON.parse(line) as unknown[]).with(at, null));
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function select(db: Database, sql: string, values: readonly unknown[]): unknown[][] {
  return db
    .prepare<unknown[], unknown[]>(sql)
    .raw()
    .safeIntegers()
    .all(...values);
}

/** Bytes that are no UTF-8 come as this character, and so does the character itself. */
function mayBeReplaced(cell: unknown): boolean {
  return typeof cell === 'string' && cell.includes('\uFFFD');
}

function encode(cell: unknown): unknown {
  if (typeof cell === 'bigint') {
    const short = Number(cell);
    return Number.isSafeInteger(short) ? short : { integer: String(cell) };
  }
  // JSON would make a whole number of 5.0, and nothing of what is infinite.
  if (typeof cell === 'number') return Number.isInteger(cell) || !Number.isFinite(cell) ? real(cell) : cell;
  return Buffer.isBuffer(cell) ? { blob: cell.toString('base64') } : cell;
}

function real(cell: number): { real: string } {
  return { real: Object.is(cell, -0) ? '-0' : String(cell) };
}

function text(cell: unknown): unknown {
  if (!Buffer.isBuffer(cell)) return cell;
  return isUtf8(cell) ? cell.toString() : { text: cell.toString('base64') };
}

function decode(cell: unknown): { place: string; value: unknown } {
  if (Number.isSafeInteger(cell)) return { place: '?', value: BigInt(cell as number) };
  if (!isJsonObject(cell)) return { place: '?', value: cell };
  const { integer, real: number, blob, text: bytes } = cell;
  if (typeof integer === 'string') return { place: '?', value: BigInt(integer) };
  if (typeof number === 'string') return { place: '?', value: Number(number) };
  if (typeof blob === 'string') return { place: '?', value: Buffer.from(blob, 'base64') };
  if (typeof bytes === 'string') return { place: 'CAST(? AS TEXT)', value: Buffer.from(bytes, 'base64') };
  throw new Error('a value of a row cannot be read');
}
