import type { Database } from 'better-sqlite3';

/** A column of one table that refers to another. */
export interface ForeignKey {
  readonly child: string;
  readonly column: string;
  readonly parent: string;
  /** Absent when the primary key is meant. */
  readonly target: string | null;
}

/** Every reference between tables, in a fixed order. */
export function foreignKeysOf(db: Database): readonly ForeignKey[] {
  return db
    .prepare<[], ForeignKey>(
      `SELECT m.name AS child, f."from" AS "column", f."table" AS parent, f."to" AS target
       FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq`,
    )
    .all();
}

export interface Trigger {
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

/** Names are compared as SQLite does, whatever their case. */
export function triggersOf(db: Database): readonly Trigger[] {
  const sql = `SELECT lower(name) AS name, lower(tbl_name) AS "table", sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name`;
  return db.prepare<[], Trigger>(sql).all();
}

/** The tables that a trigger writes to. What only looks like one is taken for one: then the trigger is not known. */
export function writtenBy(sql: string): string[] {
  const bare = sql.replaceAll(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  const [, body = bare] = /\bBEGIN\b([\s\S]*)/i.exec(bare) ?? [];
  const targets = body.matchAll(/\b(?:INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+["`[]?(\w*)/gi);
  return Array.from(targets, ([, name = '']) => name.toLowerCase());
}
