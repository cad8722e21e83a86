import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { errorText } from '../../../core/error-text.ts';
import { Failure } from '../../../core/failure.ts';
import { isThere } from '../../../platform/files/is-there.ts';
import { refuseIrregular } from '../../../platform/files/open-regular.ts';
import { damagedPages } from '../../../platform/sqlite/damaged-pages.ts';
import { DATABASES, fileOf, type KnownDatabase } from './known-tables.ts';
import { unknownPart } from './unknown-part.ts';

/** A database of Codex, open for changing. */
export interface ThreadDatabase {
  readonly known: KnownDatabase;
  readonly file: string;
  readonly db: Database;
}

/** Those of the databases that a home has, open until it is disposed of. */
export interface ThreadDatabases extends Disposable {
  readonly all: readonly ThreadDatabase[];
}

/** Others write for milliseconds. Who waits longer than this should hear why. */
const BUSY_MS = 5000;

/**
 * Opens the databases of a home. Each must be known in all that has to do with threads, and sound. SQLite keeps apart what several
 * programs do with them, as it does for several programs of Codex.
 */
export function openDatabases(home: string): ThreadDatabases {
  const all: ThreadDatabase[] = [];
  const close = () => {
    for (const { db } of all) db.close();
  };
  try {
    for (const known of DATABASES) {
      const file = fileOf(known);
      if (!isThere(join(home, file))) continue;
      all.push({ known, file, db: openOne(join(home, file), known) });
    }
    return { all, [Symbol.dispose]: close };
  } catch (error) {
    close();
    throw error;
  }
}

function openOne(path: string, known: KnownDatabase): Database {
  const file = fileOf(known);
  refuseIrregular(path);
  const db = new BetterSqlite3(path, { fileMustExist: true, timeout: BUSY_MS });
  try {
    db.pragma('foreign_keys = ON');
    // What was removed or brought back is so when the power fails, as the files are.
    db.pragma('synchronous = FULL');
    const part = unknownPart(db, known);
    const [damage] = part === undefined ? damagedPages(db) : [];
    if (part !== undefined) throw notChanged(file, `It holds what is not known here: ${part}.`);
    if (damage !== undefined) throw notChanged(file, `It is damaged: ${damage}`);
    return db;
  } catch (error) {
    db.close();
    throw error instanceof Failure ? error : notChanged(file, `SQLite says of it: ${errorText(error)}`, error);
  }
}

function notChanged(file: string, why: string, cause?: unknown): Failure {
  const hint = 'Remove threads with Codex itself: codex delete ID';
  return new Failure('refused', `${file} of Codex is not changed. ${why}`, {
    hint,
    ...(cause !== undefined && { cause }),
  });
}
