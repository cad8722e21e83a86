import type { Database } from 'better-sqlite3';
import { foreignKeysOf, triggersOf } from '../../../platform/sqlite/schema-parts.ts';
import { readTables } from '../../../platform/sqlite/guest-database.ts';
import type { KnownDatabase } from './known-tables.ts';

/**
 * What in a database of Codex is not known and has to do with rows that would go, as words for people; undefined where there is nothing.
 * Without knowing it nobody can say that a thread comes back as it was.
 */
export function unknownPart(db: Database, known: KnownDatabase): string | undefined {
  const ours = new Map(known.tables.map((each) => [each.table, each]));
  const tables = readTables(db);
  for (const [name, columns] of tables) {
    const table = ours.get(name);
    if (table !== undefined && !columns.has(table.of)) return `the table ${name} without ${table.of}`;
    const names = [...columns.keys()].some((column) => NAMES_THREAD.test(column));
    if (table === undefined && names && !known.others.includes(name)) return `the table ${name}`;
  }
  const reference = foreignKeysOf(db).find(
    ({ child, column, parent }) =>
      (ours.has(child) || ours.has(parent)) && !known.references.includes(`${child}.${column} > ${parent}`),
  );
  if (reference !== undefined) return `the reference from ${reference.child} to ${reference.parent}`;
  const trigger = triggersOf(db).find(({ name, table }) => ours.has(table) && !known.triggers.includes(name));
  return trigger && `the trigger ${trigger.name}`;
}

const NAMES_THREAD = /(^|_)(thread|rollout|session)_(id|path)$/;
