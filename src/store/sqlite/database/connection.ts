import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3, { type Database, type Statement } from 'better-sqlite3';
import { Failure } from '../../../core/failure.ts';
import { freeBytes, networkFileSystem } from '../../../platform/machine/file-system-facts.ts';
import { retryBusy } from '../../../platform/sqlite/retry-busy.ts';
import { migrate, refuseNewerSchema, refuseOlderSchema } from '../schema/migrations.ts';
import { MOST_LOG_BYTES } from './bound-log.ts';
import { createDatabaseFile } from './create-database-file.ts';
import { addFold } from './fold-function.ts';
import { openReadOnly } from './read-only-database.ts';
import { closedHome, isBusy, lockedTooLong, translateSqliteError } from './sqlite-errors.ts';
import { createWalSync } from './wal-sync.ts';

/** "copp" in ASCII: how a Coppice database is told from every other SQLite file. */
const APPLICATION_ID = 0x636f7070;
/** What `PRAGMA auto_vacuum` answers for it. */
const INCREMENTAL = 2;
/**
 * Longest time SQLite itself may block the thread waiting for a lock; longer waits are asynchronous. SQLite tries again after 1, 3
 * and 8 ms; after that it would wait longer and longer, and miss the moments in which another writer pauses.
 */
const BLOCKING_WAIT_MS = 8;
/** How long a write waits for other processes before it gives up. */
export const LOCK_DEADLINE_MS = 30_000;

/** The path of a database that is gone when it is closed. */
export const IN_MEMORY = ':memory:';

/**
 * One SQLite connection with its prepared statements.
 * No `fs` call may open the database file while a connection exists: closing it would drop SQLite's locks.
 */
export interface Connection extends Disposable {
  readonly path: string;
  readonly raw: Database;
  /** Runs synchronous work in a transaction that holds the write lock from its start; inside another one, in a savepoint. */
  transact<T>(work: () => T): T;
  /**
   * The same without waiting for the disk, where that can be done without keeping the thread: what was done survives a power cut
   * once `settle` has resolved, or any later transaction has ended.
   */
  transactLoosely<T>(work: () => T): T;
  /** Resolves when all that was done survives a power cut. */
  settle(): Promise<void>;
  /** Prepares a statement, once for each text. */
  sql<Params extends unknown[], Row>(text: string): Statement<Params, Row>;
}

export interface ConnectionOptions {
  /** It is closed soon. Where the disk has no room for the memory that processes share, the others may wait that long. */
  readonly brief?: boolean;
  /** Nothing can be written there: it is opened to be read, and every write fails. */
  readonly onlyRead?: boolean;
}

/** Opens a Coppice database, creating and migrating it as needed. Refuses files it does not recognise. */
export async function openConnection(path: string, options: ConnectionOptions = {}): Promise<Connection> {
  const { brief = false, onlyRead = false } = options;
  if (path !== IN_MEMORY && !onlyRead) createDatabaseFile(path);
  const open = onlyRead ? () => connectToRead(path) : () => connect(path, brief);
  return retryBusy(open, {
    deadlineMs: LOCK_DEADLINE_MS,
    isBusy,
    onGiveUp: (waitedMs) => lockedTooLong(path, waitedMs),
  });
}

/** A second connection of this process to a database that is open. It leaves moving the log to whoever asks for it. */
export function openBeside(path: string): Connection {
  const raw = openRaw(path);
  configureAlways(raw);
  raw.pragma('wal_autocheckpoint = 0');
  return connectionOf(raw, path);
}

function connect(path: string, brief: boolean): Connection {
  const raw = openRaw(path);
  try {
    if (brief && !raw.memory && hasNoRoomToShare(path)) useAlone(raw);
    refuseForeignDatabase(raw, path);
    refuseNewerSchema(raw, path);
    configure(raw, path);
    migrate(raw);
    return connectionOf(raw, path);
  } catch (error) {
    raw.close();
    throw isBusy(error) ? error : translateSqliteError(error, path);
  }
}

/** Nothing is set up or migrated, so the database must be as this version writes it. */
function connectToRead(path: string): Connection {
  const { raw, refuseDisturbed } = opened(path, () => openReadOnly(path, BLOCKING_WAIT_MS));
  try {
    refuseForeignDatabase(raw, path);
    refuseNewerSchema(raw, path);
    refuseOlderSchema(raw, path);
    const connection = connectionOf(raw, path);
    const sql: Connection['sql'] = (text) => {
      refuseDisturbed();
      return connection.sql(text);
    };
    return { ...connection, sql };
  } catch (error) {
    raw.close();
    throw isBusy(error) ? error : translateSqliteError(error, path);
  }
}

/** SQLite makes the memory that processes share as a file, and dies where the disk is full before all of it is there. */
const SHARED_MEMORY_BYTES = 32 * 1024;
const SHARED_MEMORY_ROOM_BYTES = 1024 * 1024;

function hasNoRoomToShare(path: string): boolean {
  if ((statSync(`${path}-shm`, { throwIfNoEntry: false })?.size ?? 0) >= SHARED_MEMORY_BYTES) return false;
  return freeBytes(dirname(path)) < SHARED_MEMORY_ROOM_BYTES;
}

/** Needs no byte on the disk for reading. Others who open the database wait; if one has it open, the memory is there to share. */
function useAlone(raw: Database): void {
  raw.pragma('locking_mode = EXCLUSIVE');
  raw.pragma('temp_store = MEMORY');
}

function openRaw(path: string): Database {
  return opened(path, () => new BetterSqlite3(path, { timeout: BLOCKING_WAIT_MS }));
}

function opened<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw translateSqliteError(error, path);
  }
}

function refuseForeignDatabase(raw: Database, path: string): void {
  const applicationId = raw.pragma('application_id', { simple: true });
  if (applicationId === APPLICATION_ID) return;
  const tables = raw.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (applicationId === 0 && tables === 0) return;
  throw new Failure('integrity', `${path} is a database that Coppice did not write.`, {
    hint: 'Nothing was changed. Choose another home with --home DIR.',
  });
}

function configure(raw: Database, path: string): void {
  // The order matters: auto_vacuum is ignored once a table exists or WAL is on. Setting it again would write to the file.
  if (raw.pragma('auto_vacuum', { simple: true }) !== INCREMENTAL) raw.pragma('auto_vacuum = INCREMENTAL');
  // WAL needs shared memory, which network file systems do not have.
  const fits = raw.memory || networkFileSystem(path) === undefined;
  raw.pragma(fits ? 'journal_mode = WAL' : 'journal_mode = TRUNCATE');
  configureAlways(raw);
  if (raw.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    raw.pragma(`application_id = ${APPLICATION_ID}`);
}

/** What a database does not remember. */
function configureAlways(raw: Database): void {
  // Acknowledged means on disk, power cut included.
  raw.pragma('synchronous = FULL');
  raw.pragma('foreign_keys = ON');
  raw.pragma('cache_size = -4000');
  raw.pragma(`journal_size_limit = ${MOST_LOG_BYTES}`);
  // What is deleted is overwritten where its page is written anyway. Pages that become free go with the next that are given back.
  raw.pragma('secure_delete = FAST');
}

function connectionOf(raw: Database, path: string): Connection {
  addFold(raw);
  const statements = new Map<string, Statement>();
  // The wrapper is made once: making one costs more than an insert. It returns what the work returns.
  const transaction = raw.transaction((work: () => unknown) => work());
  const transact = <T>(work: () => T) => {
    if (!raw.open) throw closedHome();
    return transaction.immediate(work) as T;
  };
  const wal = raw.pragma('journal_mode', { simple: true }) === 'wal' ? createWalSync(path) : undefined;
  return {
    path,
    raw,
    transact,
    transactLoosely<T>(work: () => T) {
      if (wal === undefined) return transact(work);
      raw.exec('PRAGMA synchronous = NORMAL');
      try {
        return transact(work);
      } finally {
        raw.exec('PRAGMA synchronous = FULL');
      }
    },
    settle: async () => wal?.settle(),
    sql<Params extends unknown[], Row>(text: string) {
      if (!raw.open) throw closedHome();
      const known = statements.get(text);
      // The cast is the caller's claim about its own SQL; the text is the key, so both always belong together.
      if (known !== undefined) return known as unknown as Statement<Params, Row>;
      const statement = raw.prepare(text);
      statements.set(text, statement);
      return statement as unknown as Statement<Params, Row>;
    },
    [Symbol.dispose]() {
      wal?.[Symbol.dispose]();
      raw.close();
    },
  };
}
