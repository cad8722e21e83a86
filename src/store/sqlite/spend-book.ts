import BetterSqlite3, { type Database } from 'better-sqlite3';
import { Failure } from '../../core/failure.ts';
import {
  type Amounts,
  type Scope,
  SPENT_COUNTERS,
  type Spend,
  type SpendAccount,
  type SpendBook,
  type SpendKey,
  type SpendStep,
} from '../../core/gateway.ts';
import type { Clock } from '../../core/time.ts';
import { networkFileSystem } from '../../platform/file-system-facts.ts';
import { createDatabaseFile } from './create-database-file.ts';
import { isBusy, lockedTooLong, translateSqliteError } from './sqlite-errors.ts';

/** How long a call blocks while others write. Each of them takes microseconds, so waiting longer means that one hangs. */
const BUSY_WAIT_MS = 5000;
const SCHEMA_VERSION = 3;

/**
 * Opens the totals that all processes of a home share: a small database of its own, so that counting never waits for the
 * session store. Its commits survive the death of any process, but a power cut may take the newest back.
 */
export function openSpendBook({ path, clock }: { readonly path: string; readonly clock: Clock }): SpendBook {
  const db = openDatabase(path);
  const insert = db.prepare(`INSERT INTO spend (scope, key, period, updated_at, ${COLUMNS})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const added = COLUMN_LIST.map((name) => `${name} = ${name} + ?`).join();
  const update = db.prepare(`UPDATE spend SET updated_at = ?, ${added} ${WHERE}`);
  const count = db.prepare(COUNT);
  const looks = rememberLooks(db);

  const begin = ({ scope, key, period }: SpendKey, totals: Amounts) => {
    insert.run(scope, key, period, clock.now(), ...valuesOf(totals));
  };
  const add = db.transaction((keys: readonly SpendKey[], amounts: Amounts) => {
    for (const row of keys) {
      const { changes } = update.run(clock.now(), ...valuesOf(amounts), row.scope, row.key, row.period);
      if (changes === 0) begin(row, amounts);
    }
  });
  /** One statement compares and counts. It does nothing when the totals are no longer those that were seen. */
  const countAfter = ({ account, wallMs }: SpendStep, { changes, id, spent }: Look): boolean => {
    const [{ scope, key, period, used }, ...others] = spent;
    const { tokens, nanoUsd, iterations, wallMs: countedMs } = used;
    const after = { tokens, nanoUsd, iterations: iterations + 1, wallMs: countedMs + wallMs };
    const now = clock.now();
    const done = count.run(now, after.iterations, after.wallMs, id, tokens, nanoUsd, iterations, countedMs, changes);
    if (done.changes === 0) return false;
    looks.keep(account, { changes, id, spent: [{ scope, key, period, used: after }, ...others] });
    return true;
  };
  const lookAndCount = db.transaction((step: SpendStep, allows: (spent: readonly Spend[]) => boolean) => {
    const look = looks.take(step.account);
    if (!allows(look.spent)) return false;
    if (countAfter(step, look)) return true;
    // It has no row: forgotten after a long time, or never begun.
    begin(step.account.session, {});
    return countAfter(step, looks.take(step.account));
  });

  return {
    begin: (key, totals) => said(path, () => begin(key, totals)),
    add: (keys, amounts) => said(path, () => add.immediate(keys, amounts)),
    read: (account) => said(path, () => looks.take(account).spent),
    step: (step, allows) =>
      said(path, () => {
        const last = looks.last(step.account);
        const counted = last !== undefined && allows(last.spent) && countAfter(step, last);
        return counted || lookAndCount.immediate(step, allows);
      }),
    list: (scope) => said(path, () => listRows(db, scope)),
    dropBefore: (at) => said(path, () => void db.prepare('DELETE FROM spend WHERE updated_at < ?').run(at)),
    [Symbol.dispose]: () => void db.close(),
  };
}

/** A row that was dropped leaves its number behind, which nobody gets again: a step is counted by it. */
const SCHEMA = `CREATE TABLE spend (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  scope TEXT NOT NULL, key TEXT NOT NULL, period TEXT NOT NULL,
  tokens INTEGER NOT NULL, nano_usd INTEGER NOT NULL, iterations INTEGER NOT NULL, wall_ms INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (scope, key, period)
) STRICT;
CREATE TABLE changes (number INTEGER NOT NULL) STRICT;
INSERT INTO changes VALUES (0);
CREATE TRIGGER inserted AFTER INSERT ON spend WHEN NEW.scope <> 'session' BEGIN UPDATE changes SET number = number + 1; END;
CREATE TRIGGER updated AFTER UPDATE OF tokens, nano_usd ON spend WHEN NEW.scope <> 'session'
  BEGIN UPDATE changes SET number = number + 1; END;
CREATE TRIGGER deleted AFTER DELETE ON spend WHEN OLD.scope <> 'session' BEGIN UPDATE changes SET number = number + 1; END`;

/** In the order of `SPENT_COUNTERS`. */
const COLUMN_LIST = ['tokens', 'nano_usd', 'iterations', 'wall_ms'];
const COLUMNS = COLUMN_LIST.join();
const WHERE = 'WHERE scope = ? AND key = ? AND period = ?';
/** What decides on a step: the totals of a session, and how often those of several sessions have changed. */
const LOOK = `SELECT number, id, ${COLUMNS} FROM changes LEFT JOIN spend ON scope = ? AND key = ? AND period = ?`;
/** Counts a step where all of that is as it was. */
const COUNT = `UPDATE spend SET updated_at = ?, iterations = ?, wall_ms = ?
  WHERE id = ? AND ${COLUMN_LIST.map((name) => `${name} = ?`).join(' AND ')} AND (SELECT number FROM changes) = ?`;

function openDatabase(path: string): Database {
  return said(path, () => {
    createDatabaseFile(path);
    const db = new BetterSqlite3(path, { timeout: BUSY_WAIT_MS });
    try {
      // Small pages, because every step writes one.
      db.pragma('page_size = 1024');
      // WAL needs shared memory, which network file systems do not have.
      db.pragma(networkFileSystem(path) === undefined ? 'journal_mode = WAL' : 'journal_mode = TRUNCATE');
      // A commit does not wait for the disk, only a checkpoint does, and yet a power cut damages nothing.
      db.pragma('synchronous = NORMAL');
      db.pragma('wal_autocheckpoint = 4000');
      db.transaction(() => migrate(db, path)).immediate();
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function migrate(db: Database, path: string): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version === SCHEMA_VERSION) return;
  if (version > SCHEMA_VERSION) {
    throw new Failure('integrity', `${path} was written by a newer Coppice.`, {
      hint: 'Nothing was changed. Update Coppice: npm install --global coppice',
    });
  }
  const columns = `scope, key, period, updated_at, ${COLUMNS}`;
  if (version > 0) db.exec('ALTER TABLE spend RENAME TO earlier');
  db.exec(SCHEMA);
  if (version > 0) db.exec(`INSERT INTO spend (${columns}) SELECT ${columns} FROM earlier; DROP TABLE earlier`);
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
}

/** The totals of an account at one moment. */
interface Look {
  readonly changes: number;
  /** Of the session's row; 0 when it has none. */
  readonly id: number;
  /** The session's first. */
  readonly spent: readonly [Spend, ...Spend[]];
}

/**
 * Remembers the last look at each account. A step is judged by it and counted only where it still holds, so it costs one
 * statement; and the totals of several sessions are read again only after somebody has added to one.
 */
function rememberLooks(db: Database) {
  const look = db.prepare<[string, string, string], [number, ...(number | null)[]]>(LOOK).raw();
  const select = db.prepare<[string, string, string], number[]>(`SELECT ${COLUMNS} FROM spend ${WHERE}`).raw();
  const known = new WeakMap<SpendAccount, Look>();
  const readOthers = ({ limited }: SpendAccount) => {
    return limited.map((row) => spendOf(row, select.get(row.scope, row.key, row.period) ?? []));
  };
  return {
    last: (account: SpendAccount) => known.get(account),
    keep: (account: SpendAccount, seen: Look) => void known.set(account, seen),
    /** The number is read first: whatever changes after that shows when the step is counted. */
    take(account: SpendAccount): Look {
      const { session } = account;
      const [changes = 0, id, ...values] = look.get(session.scope, session.key, session.period) ?? [];
      const last = known.get(account);
      const others = last?.changes === changes ? last.spent.slice(1) : readOthers(account);
      const seen: Look = { changes, id: id ?? 0, spent: [spendOf(session, values), ...others] };
      known.set(account, seen);
      return seen;
    },
  };
}

function listRows(db: Database, scope: Scope): readonly Spend[] {
  return db
    .prepare<[Scope], [string, string, ...number[]]>(
      `SELECT key, period, ${COLUMNS} FROM spend WHERE scope = ? ORDER BY period DESC, key`,
    )
    .raw()
    .all(scope)
    .map(([key, period, ...values]) => spendOf({ scope, key, period }, values));
}

/** Without a row its columns are null, or there are none. */
function spendOf({ scope, key, period }: SpendKey, values: readonly (number | null)[]): Spend {
  const [tokens, nanoUsd, iterations, wallMs] = values;
  const used = { tokens: tokens ?? 0, nanoUsd: nanoUsd ?? 0, iterations: iterations ?? 0, wallMs: wallMs ?? 0 };
  return { scope, key, period, used };
}

function valuesOf(amounts: Amounts): readonly number[] {
  return SPENT_COUNTERS.map((counter) => amounts[counter] ?? 0);
}

/** Says what went wrong in a sentence. */
function said<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isBusy(error)) throw lockedTooLong(path, BUSY_WAIT_MS);
    const failure = translateSqliteError(error, path);
    if (!(failure instanceof Failure) || failure.code !== 'integrity' || error === failure) throw failure;
    throw new Failure('integrity', failure.message, {
      hint: 'It holds only the running totals of budgets. Stop the agents of this home and move the file away; a new one is made.',
      cause: error,
    });
  }
}
