import { join } from 'node:path';
import BetterSqlite3, { type Database, type Statement } from 'better-sqlite3';
import { Failure } from '../../core/failure.ts';
import { errorCode } from '../../platform/error-code.ts';
import { retryBusy } from '../../platform/retry-busy.ts';
import { wait } from '../../platform/wait.ts';
import { type HermesDatabase, readTables } from './hermes-connection.ts';
import { type SideTable, sideTables } from './record-tables.ts';

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
   * again from its start when a reader is in the way. Between two steps Hermes gets its turn.
   */
  write<T>(step: () => T): Promise<T>;
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
    // A delete that a power cut takes back would leave a session twice: here, and in the trash.
    db.pragma('synchronous = FULL');
    // Moving pages from the log into the file is done after a step, when nobody waits for the lock any more.
    db.pragma('wal_autocheckpoint = 0');
    rememberStatements(db);
    const tables = readTables(db);
    const schema = db.pragma('schema_version', { simple: true });
    const pace = makePace(db);
    return {
      db,
      tables,
      side: sideTables({ db, tables }),
      version: () => versionOf(db),
      async write(step) {
        await pace.rest();
        const { result, heldMs } = await retryBusy(() => orSentence(home, () => hold(db, step, schema)), RETRY);
        onHeld?.(heldMs);
        pace.worked(heldMs);
        return result;
      },
      [Symbol.dispose]: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** With a rollback journal a reader waits while somebody commits. */
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
    const full = code.startsWith('SQLITE_FULL');
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

function hold<T>(db: Database, step: () => T, schema: unknown): { result: T; heldMs: number } {
  db.pragma(`busy_timeout = ${WRITE_BUSY_MS}`);
  try {
    db.exec('BEGIN IMMEDIATE');
    const startedAt = performance.now();
    if (db.pragma('schema_version', { simple: true }) !== schema) throw changedShape();
    const result = step();
    db.exec('COMMIT');
    return { result, heldMs: performance.now() - startedAt };
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
    db.pragma(`busy_timeout = ${READ_BUSY_MS}`);
  }
}

function versionOf(db: Database): number {
  return Number(db.pragma('data_version', { simple: true }));
}

/**
 * Hermes looks for the lock every few milliseconds at first and every 100 later. While it writes too, the lock is left free for
 * as long as it was held, so that it is found free soon; otherwise for a moment.
 */
function makePace(db: Database) {
  let restMs = 0;
  let lastVersion = versionOf(db);
  let politeUntil = 0;
  let steps = 0;
  return {
    async rest(): Promise<void> {
      await wait(restMs);
    },
    worked(heldMs: number): void {
      const version = versionOf(db);
      if (version !== lastVersion) politeUntil = performance.now() + POLITE_MS;
      lastVersion = version;
      restMs = performance.now() < politeUntil ? heldMs : heldMs / 5;
      steps += 1;
      if (steps % STEPS_A_CHECKPOINT === 0) db.pragma('wal_checkpoint(PASSIVE)');
    },
  };
}

const POLITE_MS = 2000;
const STEPS_A_CHECKPOINT = 8;

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
