import type { Statement } from 'better-sqlite3';
import { bindRowLine, quoted } from '../../../platform/sqlite/row-lines.ts';
import type { HermesDatabase } from './hermes-connection.ts';
import type { TableLines } from './record-tables.ts';

/** Inserts rows from their lines, all values as they were. `OR IGNORE` leaves what has its place already. */
export function insertLines({ db }: HermesDatabase, table: TableLines, conflict: '' | 'OR IGNORE' = ''): void {
  const names = table.columns.map(quoted).join(', ');
  // One statement serves most rows, and preparing one means preparing the triggers of the search index too.
  const statements = new Map<string, Statement>();
  for (const line of table.lines) {
    const { places, values } = bindRowLine(line);
    const sql = `INSERT ${conflict} INTO ${quoted(table.table)} (${names}) VALUES (${places.join(', ')})`;
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    statement.run(...values);
  }
}
