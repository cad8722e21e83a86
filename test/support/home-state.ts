import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { collect } from './collect.ts';
import { treeOf } from './engine-checker.ts';
import type { EngineHome } from './engine-home.ts';

/** Whose files are read. No file of a database may be, while it is open. */
const FOLDERS = ['home/sessions', 'home/trash', 'home/archive', 'outside'];

/**
 * Everything in `DIR/home` and beside it, a line each: every row of every table with those of the search index, every name with
 * its mode, every file. Equal homes have equal lines; the ids of runs are drawn by lot, and their places stand for them.
 */
export async function homeState(directory: string, { parts, engine }: EngineHome): Promise<readonly string[]> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();
  const modes = names.map((name) => `${name} ${lstatSync(join(directory, name)).mode.toString(8)}`);
  const files = FOLDERS.flatMap((folder) =>
    Object.entries(treeOf(join(directory, folder))).map(([name, content]) => `${folder}/${name} ${content}`),
  );
  const runs = await collect(engine.journal.runs());
  return [...rowsOf(parts.layout.database), ...modes, ...files].map((line) =>
    runs.reduce((text, { id }, place) => text.replaceAll(id, `run ${place}`), line),
  );
}

/** The first line that one of two states has and the other has not, or has elsewhere. */
export function firstDifference(before: readonly string[], after: readonly string[]): string | undefined {
  if (before.join('\n') === after.join('\n')) return undefined;
  const [gone, come] = [before.find((line) => !after.includes(line)), after.find((line) => !before.includes(line))];
  return `${gone ?? 'nothing'} became ${come ?? 'nothing'}`;
}

/**
 * As text. What `v8.serialize` writes of equal values is not always the same: an array that compiled code has made is written as one
 * with holes, and when code is compiled is a matter of luck.
 */
function rowsOf(database: string): readonly string[] {
  const db = new BetterSqlite3(database, { readonly: true });
  const integrity = db.pragma('integrity_check', { simple: true });
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all() as string[];
  const rows = tables.flatMap((table) => {
    const all = db.prepare(`SELECT * FROM "${table}"`).raw().all() as unknown[][];
    return all.map((cells) => `${table} ${JSON.stringify(cells.map(inText))}`);
  });
  db.close();
  return [`integrity ${String(integrity)}`, ...rows];
}

const inText = (cell: unknown) => (Buffer.isBuffer(cell) ? { hex: cell.toString('hex') } : cell);
