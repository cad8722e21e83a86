import type { Database, Statement } from 'better-sqlite3';
import type { CountsRow } from './token-counts.ts';
import { TOKEN_COLUMNS } from './usage-schema.ts';

const COLUMNS = TOKEN_COLUMNS.join();
const MARKS = TOKEN_COLUMNS.map(() => '?').join();
const SUMS = TOKEN_COLUMNS.map((column) => `coalesce(sum(${column}), 0) AS ${column}`).join();

export interface ShareStatements {
  /** A ledger no longer says that a session was supervised. */
  readonly tell: Statement;
  readonly told: Statement<[session: number, startedAt: number], ToldRow>;
  readonly booked: Statement<[session: number, startedAt: number, model: number], CountsRow>;
  /** Calls of a supervised agent, of a model however its name is written. */
  readonly covered: Statement<[session: number, model: number], CountsRow>;
  readonly add: Statement;
  readonly shares: Statement<[session: number], ShareRow>;
  readonly drop: Statement<[session: number]>;
  readonly isByCall: Statement<[session: number], number>;
}

/** Everything that is asked about what homes said of sessions in all. */
export function shareStatements(db: Database): ShareStatements {
  return {
    tell: db.prepare(`INSERT INTO told
      (place, session, started_at, model, last_active_at, ${COLUMNS}, nano_usd, supervised) VALUES (?, ?, ?, ?, ?, ${MARKS}, ?, ?)
      ON CONFLICT DO UPDATE SET last_active_at = excluded.last_active_at, nano_usd = excluded.nano_usd,
        supervised = max(supervised, excluded.supervised),
        ${TOKEN_COLUMNS.map((column) => `${column} = excluded.${column}`).join()}`),
    told: db.prepare(
      `SELECT told.*, models.name FROM told JOIN models ON models.key = told.model WHERE session = ? AND started_at = ?`,
    ),
    booked: db.prepare(
      `SELECT ${SUMS}, sum(nano_usd) AS nano_usd FROM shares WHERE session = ? AND started_at = ? AND model = ?`,
    ),
    covered: db.prepare(
      `SELECT ${SUMS}, sum(nano_usd) AS nano_usd FROM calls WHERE supervised_by = ? AND model IN
        (SELECT key FROM models WHERE family(name) = (SELECT family(name) FROM models WHERE key = ?))`,
    ),
    add: db.prepare(`INSERT INTO shares (session, started_at, model, at, ${COLUMNS}, nano_usd)
      VALUES (?, ?, ?, ?, ${MARKS}, ?)`),
    shares: db.prepare('SELECT * FROM shares WHERE session = ?'),
    drop: db.prepare('DELETE FROM shares WHERE session = ?'),
    isByCall: db.prepare<[number], number>('SELECT by_call FROM sessions WHERE key = ?').pluck(),
  };
}

export interface ToldRow extends CountsRow {
  readonly session: number;
  readonly started_at: number;
  readonly model: number;
  readonly name: string;
  readonly last_active_at: number;
  readonly supervised: number;
}

interface ShareRow extends CountsRow {
  readonly session: number;
  readonly model: number;
  readonly at: number;
}
