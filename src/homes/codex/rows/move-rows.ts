import type { Database } from 'better-sqlite3';
import { oncePer } from '../../../core/once-per.ts';
import { bindRowLine, quoted, readRowLines } from '../../../platform/sqlite/row-lines.ts';
import { triggersOf } from '../../../platform/sqlite/schema-parts.ts';
import type { ThreadTable } from './known-tables.ts';
import type { ThreadDatabase } from './open-databases.ts';
import type { RowCopy, TableCopy } from './row-copy.ts';

/** More of a thread than this is not carried where Codex makes it anew. */
const MOST_REMADE_BYTES = 32 * 1024 * 1024;

/** The rows of a thread in all databases; undefined where it has none. `rollouts` are the ids that it is told under. */
export function copyRows(all: readonly ThreadDatabase[], id: string, rollouts: readonly string[]): RowCopy | undefined {
  const tables: TableCopy[] = [];
  const leftOut: RowCopy['leftOut'][number][] = [];
  for (const { db, file, known } of all) {
    for (const each of known.tables) {
      const columns = columnsOf(db, each.table).map(({ name }) => name);
      if (columns.length === 0) continue;
      const ids = each.byRollout === true ? rollouts : [id];
      const where = { table: each.table, where: `${quoted(each.of)} IN (${ids.map(() => '?').join()})`, values: ids };
      if (each.remade === true && bytesOf(db, columns, where) > MOST_REMADE_BYTES) {
        leftOut.push({ database: file, table: each.table, ids });
        continue;
      }
      const rows = readRowLines(db, { ...where, columns });
      if (rows.length > 0) tables.push({ database: file, table: each.table, columns, rows });
    }
  }
  return tables.length === 0 && leftOut.length === 0 ? undefined : { tables, leftOut };
}

interface Where {
  readonly table: string;
  readonly where: string;
  readonly values: readonly string[];
}

function bytesOf(db: Database, columns: readonly string[], { table, where, values }: Where): number {
  const lengths = columns.map((name) => `coalesce(length(${quoted(name)}), 0)`).join(' + ');
  const sum = db.prepare<string[], number | null>(`SELECT sum(${lengths}) FROM ${quoted(table)} WHERE ${where}`);
  return sum.pluck().get(...values) ?? 0;
}

/** Deletes what a copy has, each database in one step. What has come since is not in it, and stays. */
export function deleteRows(all: readonly ThreadDatabase[], copy: RowCopy): void {
  for (const { db, file, known } of all) {
    const own = copy.tables.filter(({ database }) => database === file);
    const left = copy.leftOut.filter(({ database }) => database === file);
    if (own.length === 0 && left.length === 0) continue;
    inOneStep(db, () => {
      for (const { table, ids } of left)
        deleteAll(
          db,
          known.tables.find((each) => each.table === table),
          ids,
        );
      // What refers to a row goes before it.
      for (const each of own.toReversed()) deleteEach(db, each);
    });
  }
}

function deleteAll(db: Database, table: ThreadTable | undefined, ids: readonly string[]): void {
  if (table === undefined) return;
  const statement = db.prepare(`DELETE FROM ${quoted(table.table)} WHERE ${quoted(table.of)} = ?`);
  for (const id of ids) statement.run(id);
}

function deleteEach(db: Database, { table, columns, rows }: TableCopy): void {
  const keys = keysOf(db, table);
  for (const row of rows) {
    const { places, values } = bindRowLine(row);
    const at = keys.map((key) => columns.indexOf(key));
    const where = keys.map((key, n) => `${quoted(key)} = ${places[at[n] ?? -1] ?? 'NULL'}`).join(' AND ');
    prepared(db, `DELETE FROM ${quoted(table)} WHERE ${where}`).run(...at.map((n) => values[n]));
  }
}

/** Puts back what a copy has, as far as no row has its place by now. */
export function insertRows(all: readonly ThreadDatabase[], copy: RowCopy): void {
  for (const { db, file } of all) {
    const own = copy.tables.filter(({ database }) => database === file);
    if (own.length === 0) continue;
    inOneStep(db, () => {
      for (const each of own) insertEach(db, each);
    });
  }
}

function insertEach(db: Database, { table, columns, rows }: TableCopy): void {
  const there = new Set(columnsOf(db, table).map(({ name }) => name));
  // A column that this version has no longer cannot be given back, and one that is new has its default.
  const kept = columns.flatMap((name, at) => (there.has(name) ? [{ name, at }] : []));
  const names = kept.map(({ name }) => quoted(name)).join();
  const references = referencesOf(db, table);
  const completed = triggersOf(db).some((trigger) => trigger.table === table);
  for (const row of rows) {
    const { places, values } = bindRowLine(row);
    const cells = kept.map(({ name, at }) => {
      const value = isMissing(db, references.get(name), values[at]) ? null : values[at];
      return { name, place: places[at] ?? '?', value };
    });
    const bound = cells.map(({ value }) => value);
    const list = cells.map(({ place }) => place).join();
    const insert = `INSERT INTO ${quoted(table)} (${names}) VALUES (${list}) ON CONFLICT DO NOTHING`;
    if (prepared(db, insert).run(...bound).changes === 0 || !completed) continue;
    // A trigger of Codex completes rows that are new, and this one is not.
    const keys = keysOf(db, table).flatMap((key) => cells.filter(({ name }) => name === key));
    const set = cells.map(({ name, place }) => `${quoted(name)} = ${place}`).join();
    const differs = cells.map(({ name, place }) => `${quoted(name)} IS NOT ${place}`).join(' OR ');
    const where = keys.map(({ name, place }) => `${quoted(name)} = ${place}`).join(' AND ');
    const update = `UPDATE ${quoted(table)} SET ${set} WHERE ${where} AND (${differs})`;
    prepared(db, update).run(...bound, ...keys.map(({ value }) => value), ...bound);
  }
}

const prepared = oncePer((db: Database, sql: string) => db.prepare(sql));

interface Column {
  readonly name: string;
  readonly pk: number;
}

function columnsOf(db: Database, table: string): readonly Column[] {
  return db.prepare<[string], Column>('SELECT name, pk FROM pragma_table_info(?)').all(table);
}

/** The columns by which a row is known. */
function keysOf(db: Database, table: string): readonly string[] {
  const keys = columnsOf(db, table).filter(({ pk }) => pk > 0);
  if (keys.length === 0) throw new Error(`the table ${table} has no key`);
  return keys.map(({ name }) => name);
}

interface Reference {
  readonly column: string;
  readonly parent: string;
  readonly target: string;
}

/** What rows refer to that may have gone meanwhile, such as a project: Codex itself would have emptied the reference then. */
function referencesOf(db: Database, table: string): ReadonlyMap<string, Reference> {
  const rows = db
    .prepare<[string], Reference>(
      `SELECT "from" AS "column", "table" AS parent, coalesce("to", 'id') AS target
       FROM pragma_foreign_key_list(?) WHERE on_delete = 'SET NULL'`,
    )
    .all(table);
  return new Map(rows.map((each) => [each.column, each]));
}

function isMissing(db: Database, reference: Reference | undefined, value: unknown): boolean {
  if (reference === undefined || value === null) return false;
  const { parent, target } = reference;
  return db.prepare(`SELECT 1 FROM ${quoted(parent)} WHERE ${quoted(target)} = ?`).get(value) === undefined;
}

function inOneStep(db: Database, act: () => void): void {
  db.transaction(act).immediate();
}
