import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import type { SharedPart } from '../../keeping/file-home/file-agent.ts';
import { otherHolders } from '../../platform/sqlite/database-holders.ts';
import { openGuest, readTables } from '../../platform/sqlite/guest-database.ts';
import { bindRowLine, quoted, readRowLines } from '../../platform/sqlite/row-lines.ts';
import { CHILDREN, isKnownStore, type RowTable, SEARCH, SESSIONS } from './store-schema.ts';

const STORE = 'session-store.db';

/**
 * What a session has in the database of all sessions: its rows, and what was said in it in the index for searching. They leave and come
 * back in one transaction each. Where the database is in a shape that is not known here, or a running program has it open, its rows
 * stay as they are, as they do when Copilot CLI itself deletes a session.
 */
export function sessionRows(): SharedPart {
  const isHeld = watchHolders();
  return {
    name: 'session-rows',
    async copy(home, id) {
      const path = storeIn(home);
      if (path === undefined || isHeld(path)) return undefined;
      const guest = openGuest(path);
      try {
        if (!isKnownStore(guest.db, guest.tables)) return undefined;
        const rows = rowsOf(guest.db, id);
        const isEmpty = Object.values(rows).every((lines) => lines.length === 0);
        return isEmpty ? undefined : JSON.stringify({ version: 1, rows });
      } finally {
        guest.close();
      }
    },
    takeOut: async (home, id, copy) => change(home, (db) => takeRows(db, id, rowsIn(copy))),
    putBack: async (home, id, copy) => change(home, (db) => putRows(db, id, rowsIn(copy))),
  };
}

const WATCH_MS = 500;

/** Whether another program has the database open, looked at again at most twice a second: sessions come one after the other. */
function watchHolders(): (path: string) => boolean {
  let last: { readonly at: number; readonly held: boolean } | undefined;
  return (path) => {
    if (last === undefined || performance.now() - last.at > WATCH_MS)
      last = { held: otherHolders(path) === 'some', at: performance.now() };
    return last.held;
  };
}

function takeRows(db: Database, id: string, rows: Rows): void {
  for (const table of [SEARCH, ...CHILDREN]) deleteRows(db, table, { id, lines: rows[table.name] ?? [] });
  // Something may have been added to it since then, and needs it.
  if (CHILDREN.every((table) => !hasRows(db, table, id)))
    deleteRows(db, SESSIONS, { id, lines: rows[SESSIONS.name] ?? [] });
}

function putRows(db: Database, id: string, rows: Rows): void {
  for (const table of [SESSIONS, ...CHILDREN, SEARCH]) insertRows(db, table, { id, lines: rows[table.name] ?? [] });
}

/** By the name of a table. */
type Rows = Readonly<Record<string, readonly string[]>>;

function rowsOf(db: Database, id: string): Rows {
  const all = [SESSIONS, ...CHILDREN, SEARCH].map((table) => [table.name, linesOf(db, table, id)] as const);
  return Object.fromEntries(all);
}

function rowsIn(copy: string): Rows {
  // A copy is read by the version that wrote it or a later one; it lay in a trash that nobody else writes.
  return (JSON.parse(copy) as { readonly rows: Rows }).rows;
}

/** Each begins with what it is known by. */
function linesOf(db: Database, { name, key, owner, columns }: RowTable, id: string): string[] {
  return readRowLines(db, {
    table: name,
    columns: [key, ...columns],
    where: `${quoted(owner)} = ? ORDER BY 1`,
    values: [id],
  });
}

function hasRows(db: Database, { name, owner }: RowTable, id: string): boolean {
  return db.prepare(`SELECT 1 FROM ${quoted(name)} WHERE ${quoted(owner)} = ? LIMIT 1`).get(id) !== undefined;
}

/** Rows of one session in one table, as they were copied. */
interface OwnLines {
  readonly id: string;
  readonly lines: readonly string[];
}

/** Only those that are as they were copied. */
function deleteRows(db: Database, table: RowTable, { id, lines }: OwnLines): void {
  const copied = new Set(lines);
  const remove = db.prepare(`DELETE FROM ${quoted(table.name)} WHERE ${quoted(table.key)} = ?`);
  for (const line of linesOf(db, table, id)) if (copied.has(line)) remove.run(bindRowLine(line).values[0]);
}

/** Those that are there already stay alone. Whatever has the number of one by now keeps it. */
function insertRows(db: Database, table: RowTable, { id, lines }: OwnLines): void {
  const { name, key, columns } = table;
  const at = quoted(name);
  const there = new Set(linesOf(db, table, id).map(withoutNumber));
  const taken = db.prepare(`SELECT 1 FROM ${at} WHERE ${quoted(key)} = ?`);
  const into = [key, ...columns].map(quoted).join(', ');
  for (const line of lines.filter((each) => !there.has(withoutNumber(each)))) {
    const { places, values } = bindRowLine(line);
    const [number, ...rest] = values;
    const isFree = taken.get(number) === undefined;
    const insert = db.prepare(`INSERT OR IGNORE INTO ${at} (${into}) VALUES (${places.join(', ')})`);
    insert.run(isFree ? number : null, ...rest);
  }
}

function withoutNumber(line: string): string {
  return JSON.stringify((JSON.parse(line) as unknown[]).slice(1));
}

/** Undefined where there is none, or where what has its name is somebody else's as well. */
function storeIn(home: string): string | undefined {
  const path = join(home, STORE);
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.nlink === 1 ? path : undefined;
}

/** Another program gives up its turn within milliseconds; who waits longer should hear of it. */
const BUSY_MS = 5000;

function change(home: string, act: (db: Database) => void): void {
  const path = storeIn(home);
  if (path === undefined) return;
  const db = new BetterSqlite3(path, { fileMustExist: true, timeout: BUSY_MS });
  try {
    // The trash that holds the copy is on the disk; this must be as well before that may go.
    db.pragma('synchronous = FULL');
    const whole = db.transaction(() => {
      if (isKnownStore(db, readTables(db))) act(db);
    });
    whole.immediate();
  } finally {
    db.close();
  }
}
