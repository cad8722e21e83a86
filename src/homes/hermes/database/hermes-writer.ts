import { join } from 'node:path';
import BetterSqlite3, { type Database, type Statement } from 'better-sqlite3';
import { Failure } from '../../../core/failure.ts';
import { isNoSpace } from '../../../core/machine-failure.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { readTables } from '../../../platform/sqlite/guest-database.ts';
import { retryBusy } from '../../../platform/sqlite/retry-busy.ts';
import { createPace, type Held } from '../../../platform/sqlite/writer-pace.ts';
import type { HermesDatabase } from './hermes-connection.ts';
import { createIndexMerging } from './index-merging.ts';
import { type MessageChunk, type SideTable, sideTables } from './record-tables.ts';

/**
 * The database of a Hermes home, open for changing. While it is open, nothing in this process may open, read or copy the
 * database by other means: closing such a handle would drop the locks.
 */
export interface HermesWriter extends HermesDatabase, Disposable {
  readonly side: readonly SideTable[];
  /** A number that changes whenever another connection has changed something. */
  version(): number;
  /**
   * Carries out one short step under the write lock. It is synchronous, holds at most a few hundred rows, and may be begun
   * again from its start when a reader is in the way. Between two steps Hermes gets its turn. `workOf` says which messages went or
   * came, from which the writer learns how much it has time for.
   */
  write<T>(step: () => T, workOf?: (result: T) => readonly MessageChunk[]): Promise<T>;
  /** Whether taking or bringing back these in one step is short enough, by what earlier steps took. */
  hasTimeFor(work: readonly MessageChunk[]): boolean;
  /** Merges every search index into one part, in short steps: nothing is left in it of messages that are gone. */
  mergeAll(): Promise<void>;
  /** Makes everything that was written survive a power cut. */
  settle(): Promise<void>;
}

export interface WriterOptions {
  /** Told how long the write lock was held, each time. */
  readonly onHeld?: ((heldMs: number) => void) | undefined;
}

/** Opens it as Hermes left it: its journal, its triggers and its search index stay what they are. */
export function openHermesWriter(home: string, { onHeld }: WriterOptions = {}): HermesWriter {
  const db = orSentence(
    home,
    () => new BetterSqlite3(join(home, 'state.db'), { fileMustExist: true, timeout: READ_BUSY_MS }),
  );
  try {
    db.pragma('foreign_keys = ON');
    // With a log, whoever holds the lock does not wait for the disk; `settle` does, when nobody waits for the lock any more.
    const logged = db.pragma('journal_mode', { simple: true }) === 'wal';
    db.pragma(`synchronous = ${logged ? 'NORMAL' : 'FULL'}`);
    if (logged) db.pragma(`busy_timeout = ${WRITE_BUSY_MS}`);
    db.pragma('wal_autocheckpoint = 0');
    // Each step changes a few hundred pages and comes back to few of them, so more than this is only memory.
    db.pragma('cache_size = -4000');
    // Holds for this connection alone: what it deletes is overwritten, and the file stays what it was for its owner.
    db.pragma('secure_delete = ON');
    rememberStatements(db);
    const tables = readTables(db);
    const schema = schemaOf(db);
    const pace = createPace(() => versionOf(db));
    const holdNow = <T>(step: () => T, workOf: (result: T) => readonly MessageChunk[]): T => {
      const { result, held } = hold(db, step, { schema, logged });
      onHeld?.(held.ms);
      pace.worked(held, workOf(result));
      return result;
    };
    const write = async <T>(step: () => T, workOf?: (result: T) => readonly MessageChunk[]): Promise<T> => {
      if (workOf !== undefined) await merging.due();
      await pace.rest();
      return retryBusy(() => orSentence(home, () => holdNow(step, workOf ?? (() => []))), RETRY);
    };
    const tryToWrite = async (step: () => boolean) => {
      await pace.rest();
      return ifPossible(() => holdNow(step, () => []));
    };
    const settle = async () => {
      if (!logged || orSentence(home, () => syncLog(db))) return;
      db.pragma('synchronous = FULL');
      await write(() => db.exec(SMALL_CHANGE));
      db.pragma('synchronous = NORMAL');
    };
    const merging = createIndexMerging({ db, write, tryToWrite, settle });
    return {
      db,
      tables,
      side: sideTables({ db, tables }),
      version: () => versionOf(db),
      write,
      hasTimeFor: (work) => pace.hasTimeFor(work),
      mergeAll: () => merging.all(),
      settle,
      [Symbol.dispose]: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Leaves everything as it was, but is written: SQLite passes over a change that puts the same value in its place. */
const SMALL_CHANGE = 'UPDATE schema_version SET version = version + 1; UPDATE schema_version SET version = version - 1';

/** With a rollback journal a reader waits while somebody commits; with a log it never does. */
const READ_BUSY_MS = 5000;
/** How long a step waits for others with the lock in hand; waiting longer is done without it. */
const WRITE_BUSY_MS = 50;

const RETRY = {
  deadlineMs: 30_000,
  isBusy: (error: unknown) => /^SQLITE_(BUSY|LOCKED)/.test(errorCode(error) ?? ''),
  onGiveUp: (waitedMs: number) =>
    new Failure('locked', `The database of Hermes was busy for ${Math.round(waitedMs / 1000)} s.`, {
      hint: 'Nothing is lost. Run the same command again when Hermes has less to do.',
    }),
};

/** Says in a sentence what stops the whole run. What concerns one session passes. */
function orSentence<T>(home: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const code = errorCode(error) ?? '';
    const full = isNoSpace(error);
    if (!full && !/^SQLITE_(IOERR|READONLY|CORRUPT|NOTADB|PERM|CANTOPEN)/.test(code)) throw error;
    const sentence = full
      ? `There is no space left on the disk that holds ${home}.`
      : `The database in ${home} cannot be changed: ${code}.`;
    const hint = full
      ? 'Nothing is lost. Free some space, then run the same command again.'
      : 'Nothing is lost. Run hermes sessions repair --check-only to see what is wrong.';
    throw new Failure('failed', sentence, { hint, cause: error });
  }
}

/** Merging can wait: whatever is in the way is met and told by the next step that matters. */
function ifPossible(merge: () => boolean): boolean {
  try {
    return merge();
  } catch (error) {
    if (errorCode(error)?.startsWith('SQLITE_') !== true) throw error;
    return false;
  }
}

function hold<T>(
  db: Database,
  step: () => T,
  { schema, logged }: { readonly schema: unknown; readonly logged: boolean },
): { result: T; held: Held } {
  if (!logged) db.pragma(`busy_timeout = ${WRITE_BUSY_MS}`);
  try {
    db.exec('BEGIN IMMEDIATE');
    const startedAt = performance.now();
    const before = process.cpuUsage();
    if (schemaOf(db) !== schema) throw changedShape();
    const result = step();
    db.exec('COMMIT');
    const { user, system } = process.cpuUsage(before);
    return { result, held: { ms: performance.now() - startedAt, cpuMs: (user + system) / 1000 } };
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
    if (!logged) db.pragma(`busy_timeout = ${READ_BUSY_MS}`);
  }
}

function schemaOf(db: Database): unknown {
  return db.prepare('PRAGMA schema_version').pluck().get();
}

function versionOf(db: Database): number {
  return Number(db.prepare('PRAGMA data_version').pluck().get());
}

/**
 * Moves the log into the database, which syncs both. False when that could not be all of it, because somebody reads or moves it
 * just now: then one small change that is synced takes what came before it along.
 */
function syncLog(db: Database): boolean {
  const [{ busy, log, checkpointed }] = db.pragma('wal_checkpoint(PASSIVE)') as [Record<string, number>];
  return busy === 0 && log === checkpointed;
}

/** The same few statements are used for every session, and preparing one means preparing the triggers of Hermes too. */
function rememberStatements(db: Database): void {
  const prepare = db.prepare.bind(db);
  const known = new Map<string, Statement>();
  const remember = (sql: string): Statement => {
    const statement = known.get(sql) ?? prepare(sql);
    known.set(sql, statement);
    return statement;
  };
  db.prepare = remember as typeof db.prepare;
}

function changedShape(): Failure {
  return new Failure('refused', 'Hermes has changed the shape of its database meanwhile.', {
    hint: 'Nothing is lost. Run the same command again.',
  });
}
