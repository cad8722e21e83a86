import { setImmediate } from 'node:timers/promises';
import { databaseBytes, LARGE_BYTES } from '../../platform/sqlite/damaged-pages.ts';
import { type GuestDatabase, hasColumns, readGuest } from '../../platform/sqlite/guest-database.ts';
import { opencodeDatabases } from './opencode-places.ts';
import { linkReason, placeReasons, schemaReasons } from './opencode-schema.ts';

/** What the rows of a home name: all that must not be taken for a leftover. */
export interface NamedByRows {
  readonly sessions: ReadonlySet<string>;
  readonly projects: ReadonlySet<string>;
  /** Folders in which sessions and projects are at work. */
  readonly folders: ReadonlySet<string>;
  /** Files of outputs; undefined where there is too much to read for it. */
  readonly outputs: ReadonlySet<string> | undefined;
}

/**
 * Reads it of every database of a home. Undefined where one of them is not known in full, or where no session is: a database that was
 * lost, or begun anew, would make a leftover of everything. `seeksOutputs` says whether outputs are asked for at all.
 */
export async function namedByRows(home: string, seeksOutputs: boolean): Promise<NamedByRows | undefined> {
  if (placeReasons(home, process.env['OPENCODE_DB']).length > 0) return undefined;
  const all = { sessions: new Set<string>(), projects: new Set<string>(), folders: new Set<string>() };
  let outputs: Set<string> | undefined = new Set();
  for (const path of opencodeDatabases(home)) {
    if (linkReason(path) !== undefined) return undefined;
    const isKnown = await readGuest(path, async (guest) => {
      if (schemaReasons(guest, path).length > 0) return false;
      for (const [set, sql] of questions(guest, all)) for (const name of texts(guest, sql)) set.add(name);
      const named = seeksOutputs ? await namedOutputs(guest) : [];
      if (named === undefined) outputs = undefined;
      else for (const name of named) outputs?.add(name);
      return true;
    });
    if (!isKnown) return undefined;
  }
  return all.sessions.size === 0 ? undefined : { ...all, outputs };
}

function questions(
  guest: GuestDatabase,
  { sessions, projects, folders }: { readonly sessions: Set<string>; projects: Set<string>; folders: Set<string> },
): readonly (readonly [Set<string>, string])[] {
  const if_ = (table: string, column: string) =>
    hasColumns(guest, table, [column]) ? [`SELECT ${column} FROM ${table}`] : [];
  const ofProjects = ['workspace', 'project_directory', 'permission'].flatMap((table) => if_(table, 'project_id'));
  const ofFolders = [...if_('workspace', 'directory'), ...if_('project_directory', 'directory')];
  return [
    [sessions, 'SELECT id FROM session'],
    ...['SELECT id FROM project', 'SELECT project_id FROM session', ...ofProjects].map(
      (sql) => [projects, sql] as const,
    ),
    ...['SELECT worktree FROM project', 'SELECT directory FROM session', ...ofFolders].map(
      (sql) => [folders, sql] as const,
    ),
  ];
}

function texts({ db }: GuestDatabase, sql: string): readonly string[] {
  const found = db.prepare(sql).pluck().all();
  return found.filter((value) => typeof value === 'string');
}

/** Wherever an output may be named. */
const SAYING: readonly (readonly [table: string, column: string])[] = [
  ['part', 'data'],
  ['message', 'data'],
  ['session_message', 'data'],
  ['session_input', 'prompt'],
  ['event', 'data'],
];
const STEP_ROWS = 1000;

/** The names of outputs in all that was ever said, in steps. Undefined where reading all of it would take minutes. */
async function namedOutputs(guest: GuestDatabase): Promise<readonly string[] | undefined> {
  if (databaseBytes(guest.db) > LARGE_BYTES) return undefined;
  const names = new Set<string>();
  for (const [table, column] of SAYING) {
    if (!hasColumns(guest, table, [column])) continue;
    const step = guest.db.prepare<[number], { row: number; text: string | null }>(
      `SELECT rowid AS row, iif(instr(${column}, '${OUTPUT}') > 0, CAST(${column} AS TEXT), NULL) AS text FROM ${table}
       WHERE rowid > ? ORDER BY rowid LIMIT ${STEP_ROWS}`,
    );
    for (let rows = step.all(Number.MIN_SAFE_INTEGER); rows.length > 0; rows = step.all(rows.at(-1)?.row ?? 0)) {
      const found = rows.flatMap(({ text }) => text?.match(OUTPUT_NAME) ?? []);
      for (const name of found) names.add(name);
      await setImmediate();
    }
  }
  return [...names];
}

/** How the names of outputs begin. */
const OUTPUT = 'tool_';
const OUTPUT_NAME = /tool_[0-9A-Za-z]+/g;
