import BetterSqlite3 from 'better-sqlite3';
import { errorText } from '../../core/error-text.ts';
import type { Problem } from '../../core/problem.ts';
import type { StoreCheck } from '../../core/stores/session-reader.ts';
import { errorCode } from '../../platform/error-code.ts';
import { ifPossible } from '../../platform/if-possible.ts';
import { temporaryFolderIn } from '../../platform/leftovers/temporary-folder.ts';
import { freeBytes } from '../../platform/machine/file-system-facts.ts';
import { findings } from '../../platform/sqlite/damaged-pages.ts';
import type { Connection } from './database/connection.ts';
import { INDEXES } from './search/search-indexes.ts';
import { OUTPUT_ROW } from './sessions/output-row.ts';

const DAMAGED_HINT = 'Copy the home somewhere safe, then restore state.db from a backup, or import what you exported.';

/** Looks for damage in the database and for disagreement between its tables and indexes. Changes nothing in the home. */
export async function* checkStore(db: Connection, scratchDir: string): AsyncGenerator<StoreCheck> {
  yield { name: 'database file', problems: await databaseProblems(db, scratchDir) };
  yield { name: 'references between tables', problems: orDamage(() => referenceProblems(db)) };
  yield { name: 'message counts', problems: orDamage(() => countProblems(db)) };
  yield { name: 'unfinished work', problems: orDamage(() => unfinishedProblems(db)) };
  yield { name: 'search index', problems: await indexProblems(db, scratchDir) };
}

/** At a damaged page SQLite stops with an error, and then that is what was found. */
function orDamage(look: () => Problem[]): Problem[] {
  try {
    return look();
  } catch (error) {
    if (!(errorCode(error) ?? '').startsWith('SQLITE_CORRUPT')) throw error;
    return [damaged(errorText(error))];
  }
}

function damaged(what: string): Problem {
  return { kind: 'database-damaged', subject: 'state.db', message: `SQLite reports: ${what}.`, hint: DAMAGED_HINT };
}

/**
 * While others write, SQLite finds fault with a search index that is in order: it compares pieces of two moments. So what it finds
 * counts only if it finds fault with a copy too, which nobody writes to.
 */
async function databaseProblems(db: Connection, scratchDir: string): Promise<Problem[]> {
  const found = integrityProblems(db.raw);
  if (found.length === 0 || !hasRoomForCopy(db, scratchDir)) return found;
  return withCopy(db, scratchDir, integrityProblems);
}

function integrityProblems(raw: BetterSqlite3.Database): Problem[] {
  return orDamage(() => {
    const lines = raw.pragma('integrity_check(20)') as { integrity_check: string }[];
    return lines.flatMap(({ integrity_check }) => findings(integrity_check)).map(damaged);
  });
}

function referenceProblems(db: Connection): Problem[] {
  const rows = db.raw.pragma('foreign_key_check') as { table: string; rowid: number | null }[];
  return rows.slice(0, 20).map(({ table, rowid }) => ({
    kind: 'reference-broken',
    subject: 'state.db',
    message: `Row ${rowid ?? '?'} of ${table} belongs to a session that does not exist.`,
    hint: DAMAGED_HINT,
  }));
}

interface CountRow {
  readonly key: number;
  readonly id: string;
  readonly message_count: number;
  readonly counted: number;
  readonly output_count: number;
  readonly printed: number;
  readonly content_bytes: number;
  readonly bytes: number;
}

/** Live sessions whose row does not say what their messages do. */
export function wrongCounts(db: Connection): readonly CountRow[] {
  return db
    .sql<[], CountRow>(
      `SELECT key, id, message_count, coalesce(counted, 0) AS counted, output_count, coalesce(printed, 0) AS printed, content_bytes, coalesce(bytes, 0) AS bytes
       FROM sessions LEFT JOIN (SELECT session_key, count(*) AS counted, sum(${OUTPUT_ROW}) AS printed, max(seq) AS last,
         sum(octet_length(text) + coalesce(octet_length(extra), 0)) AS bytes FROM messages GROUP BY session_key)
         ON session_key = key
       WHERE state = 'live' AND (message_count <> coalesce(counted, 0) OR output_count <> coalesce(printed, 0) OR content_bytes <> coalesce(bytes, 0)
         OR last_seq < coalesce(last, 0))`,
    )
    .all();
}

function countProblems(db: Connection): Problem[] {
  return wrongCounts(db).map((row) => ({
    kind: 'count-wrong',
    subject: row.id,
    message: `Session ${row.id} says ${countDifference(row)}.`,
    hint: 'Count them anew with: coppice doctor --repair',
  }));
}

function countDifference(row: CountRow): string {
  if (row.message_count !== row.counted) return `it has ${row.message_count} messages; ${row.counted} are there`;
  if (row.output_count !== row.printed) return `${row.output_count} of its messages are output; ${row.printed} are`;
  return `its messages take ${row.content_bytes} bytes; they take ${row.bytes}`;
}

/** What an import or removal left that was cut short, or that another process is at right now. */
function unfinishedProblems(db: Connection): Problem[] {
  const rows = db
    .sql<[], { id: string; state: string }>(
      `SELECT id, state FROM sessions WHERE state <> 'live' AND state NOT IN ('trashed', 'archived') ORDER BY id LIMIT 20`,
    )
    .all();
  return rows.map(({ id, state }) =>
    state === 'importing'
      ? {
          kind: 'unfinished',
          subject: id,
          message: `The import of session ${id} is running, or was cut short.`,
          hint: 'If no import is running, import the same file again.',
        }
      : {
          kind: 'unfinished-removal',
          subject: 'state.db',
          message: 'The removal of a session is running, or was cut short.',
          hint: 'If nothing is running, finish it with: coppice doctor --repair',
        },
  );
}

/**
 * SQLite compares a search index with the text it stands for only while it holds the write lock, for many seconds in a large
 * home. So the comparison is made on a copy, and no writer waits.
 */
async function indexProblems(db: Connection, scratchDir: string): Promise<Problem[]> {
  if (!hasRoomForCopy(db, scratchDir)) {
    return [
      {
        kind: 'not-checked',
        subject: 'state.db',
        message:
          'The search index was not compared with the messages: there is too little free space for a copy of state.db.',
        hint: `Free ${Math.ceil(copyBytes(db) / 1e6)} MB and run: coppice doctor`,
      },
    ];
  }
  return withCopy(db, scratchDir, (raw) => INDEXES.flatMap((index) => compareIndex(raw, index)));
}

/** What the copy of a database takes for a moment, and some more. */
function copyBytes({ raw }: Connection): number {
  return Number(raw.pragma('page_count', { simple: true })) * Number(raw.pragma('page_size', { simple: true })) * 1.5;
}

function hasRoomForCopy(db: Connection, scratchDir: string): boolean {
  return freeBytes(scratchDir) >= copyBytes(db);
}

/** How the folder of a copy is named, beside its owner. */
export const COPY = '.tmp-doctor';

/** Looks at a copy of the database, which is as the database was at one moment. */
async function withCopy<T>(db: Connection, scratchDir: string, look: (raw: BetterSqlite3.Database) => T): Promise<T> {
  // Whoever dies over a copy leaves one as large as the database, and the next one removes it.
  const folder = temporaryFolderIn(scratchDir, COPY);
  try {
    // SQLite asks where the open folder is now, and goes on from there by its path.
    const copy = folder.at('state.db');
    await db.raw.backup(copy, { progress: () => 0x7fffffff });
    const raw = new BetterSqlite3(copy);
    try {
      return look(raw);
    } finally {
      raw.close();
    }
  } finally {
    // What was found counts, also where the copy cannot be removed now.
    ifPossible(() => folder[Symbol.dispose]());
  }
}

function compareIndex(raw: BetterSqlite3.Database, index: string): Problem[] {
  try {
    raw.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
    return [];
  } catch (error) {
    const message = errorText(error);
    return [
      {
        kind: 'index-wrong',
        subject: index,
        message: `The search index ${index} does not agree with what is stored (${message}). Messages are not affected.`,
        hint: 'Build it anew with: coppice doctor --repair',
      },
    ];
  }
}
