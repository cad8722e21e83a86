import BetterSqlite3, { type Database } from 'better-sqlite3';
import { Failure } from '../../core/failure.ts';
import {
  type Amounts,
  type Claim,
  type Counters,
  type Scope,
  SPENT_COUNTERS,
  type Spend,
  type SpendBook,
  type SpendKey,
} from '../../core/gateway.ts';
import type { Clock } from '../../core/time.ts';
import { networkFileSystem } from '../../platform/file-system-facts.ts';
import { createDatabaseFile } from './create-database-file.ts';
import { isBusy, lockedTooLong, translateSqliteError } from './sqlite-errors.ts';

/** How long a call blocks while others write. Each of them takes microseconds, so waiting longer means that one hangs. */
const BUSY_WAIT_MS = 5000;
const SCHEMA_VERSION = 2;
const MOST_REMEMBERED = 100;

/**
 * Opens the totals that all processes of a home share: a small database of its own, so that counting never waits for the
 * session store. Its commits survive the death of any process, but a power cut may take the newest back.
 */
export function openSpendBook({ path, clock }: { readonly path: string; readonly clock: Clock }): SpendBook {
  const db = openDatabase(path);
  const select = db.prepare<[string, string, string], number[]>(`SELECT ${COLUMNS} FROM spend ${WHERE}`).raw();
  const insert = db.prepare(`INSERT INTO spend (scope, key, period, updated_at, ${COLUMNS})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const added = COLUMN_LIST.map((name) => `${name} = ${name} + ?`).join();
  const update = db.prepare(`UPDATE spend SET updated_at = ?, ${added} ${WHERE}`);
  const advance = db.prepare<(string | number)[], number[]>(ADVANCE).raw();

  const rows = rememberRows(db, ({ scope, key, period }) => {
    return { scope, key, period, used: countersOf(select.get(scope, key, period) ?? []) };
  });
  const begin = ({ scope, key, period }: SpendKey, totals: Amounts) => {
    rows.forget();
    insert.run(scope, key, period, clock.now(), ...valuesOf(totals));
  };
  const add = db.transaction((keys: readonly SpendKey[], amounts: Amounts) => {
    rows.forget();
    for (const row of keys) {
      const { changes } = update.run(clock.now(), ...valuesOf(amounts), row.scope, row.key, row.period);
      if (changes === 0) begin(row, amounts);
    }
  });
  /** One statement decides and counts, so nobody comes in between, and a step costs no more than one write. */
  const claim = ({ counted, wallMs, below }: Claim): Spend | undefined => {
    const { scope, key, period } = counted;
    const limits = SPENT_COUNTERS.map((counter) => (below[counter] ?? Infinity) - (counter === 'wallMs' ? wallMs : 0));
    // Read to its end: after a statement that is left halfway, the log is never written back and grows without bound.
    const [before] = advance.all(clock.now(), wallMs, scope, key, period, ...limits, wallMs);
    return before && { scope, key, period, used: countersOf(before) };
  };
  const beginAndClaim = db.transaction((asked: Claim) => {
    begin(asked.counted, {});
    return claim(asked);
  });

  return {
    begin: (key, totals) => said(path, () => begin(key, totals)),
    add: (keys, amounts) => said(path, () => add.immediate(keys, amounts)),
    // Nothing comes back when a limit is reached, and also when the row is not there.
    claim: (asked) => said(path, () => claim(asked) ?? beginAndClaim.immediate(asked)),
    read: (keys) => said(path, () => rows.read(keys)),
    list: (scope) => said(path, () => listRows(db, scope)),
    dropBefore: (at) => {
      rows.forget();
      said(path, () => db.prepare('DELETE FROM spend WHERE updated_at < ?').run(at));
    },
    [Symbol.dispose]: () => void db.close(),
  };
}

const SCHEMA = `CREATE TABLE spend (
  scope TEXT NOT NULL, key TEXT NOT NULL, period TEXT NOT NULL,
  tokens INTEGER NOT NULL, nano_usd INTEGER NOT NULL, iterations INTEGER NOT NULL, wall_ms INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (scope, key, period)
) STRICT, WITHOUT ROWID`;

/** The first version also counted how large sessions were, which their store knows better. */
const SECOND_VERSION = 'ALTER TABLE spend DROP COLUMN messages; ALTER TABLE spend DROP COLUMN bytes';

/** In the order of `SPENT_COUNTERS`. */
const COLUMN_LIST = ['tokens', 'nano_usd', 'iterations', 'wall_ms'];
const COLUMNS = COLUMN_LIST.join();
const WHERE = 'WHERE scope = ? AND key = ? AND period = ?';
/** Counts a step where every total is below its limit, and gives back the totals before it. */
const ADVANCE = `UPDATE spend SET updated_at = ?, iterations = iterations + 1, wall_ms = wall_ms + ? ${WHERE}
  AND ${COLUMN_LIST.map((name) => `${name} < ?`).join(' AND ')}
  RETURNING tokens, nano_usd, iterations - 1, wall_ms - ?`;

function openDatabase(path: string): Database {
  return said(path, () => {
    createDatabaseFile(path);
    const db = new BetterSqlite3(path, { timeout: BUSY_WAIT_MS });
    try {
      // Small pages, because every claim writes one.
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
  db.exec(version === 1 ? SECOND_VERSION : SCHEMA);
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
}

/**
 * Rows of several sessions, remembered for as long as nobody adds to them: another connection shows in the data version. With
 * them, a step under many budgets costs little more than one without. What one session used changes with each step.
 */
function rememberRows(db: Database, spendOf: (key: SpendKey) => Spend) {
  const dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
  const known = new Map<SpendKey, Spend>();
  let knownVersion: number | undefined;
  const find = (key: SpendKey): Spend => {
    if (key.scope === 'session') return spendOf(key);
    const spend = known.get(key) ?? spendOf(key);
    known.set(key, spend);
    return spend;
  };
  return {
    /** This connection is about to change what it may remember. */
    forget: () => known.clear(),
    read(keys: readonly SpendKey[]): readonly Spend[] {
      if (keys.length === 0) return [];
      const version = dataVersion.get();
      if (version !== knownVersion || known.size > MOST_REMEMBERED) known.clear();
      knownVersion = version;
      return keys.map(find);
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
    .map(([key, period, ...values]) => ({ scope, key, period, used: countersOf(values) }));
}

function countersOf(values: readonly number[]): Counters {
  const [tokens = 0, nanoUsd = 0, iterations = 0, wallMs = 0] = values;
  return { tokens, nanoUsd, iterations, wallMs };
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
