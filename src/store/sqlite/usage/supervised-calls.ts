import type { Database } from 'better-sqlite3';
import { SECOND_MS, type EpochMs } from '../../../core/time.ts';
import type { ShareRows } from './share-rows.ts';

/** Clocks of two programs on one machine, and the last line that an agent writes when its supervisor has seen its end. */
const SLACK_MS = 2 * SECOND_MS;

const UNSETTLED = `SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'unsettled'`;

/** Notes inside a transaction that something changed from this moment on. */
export function unsettledFrom(db: Database): (at: EpochMs) => void {
  const note = db.prepare(`INSERT INTO meta VALUES ('unsettled', ?) ON CONFLICT DO UPDATE
    SET value = min(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`);
  return (at) => void note.run(String(Math.floor(at)));
}

/**
 * Finds the calls that a supervised session counted and its agent wrote down too: of the same model, in the same folder, while it went on.
 * Each call is in at most one supervised session. What is found there is taken off what the session says.
 */
export function settleSupervised(db: Database, shares: ShareRows): void {
  const since = db.prepare<[], number>(UNSETTLED).pluck().get();
  if (since === undefined) return;
  const runs = db.prepare<[number], Run>(`SELECT session, started_at, max(last_active_at) AS ended_at, project
    FROM told JOIN sessions ON sessions.key = told.session
    WHERE supervised = 1 AND by_call = 0 AND project IS NOT NULL
    GROUP BY session, started_at HAVING max(last_active_at) >= ? ORDER BY started_at, session`);
  const claim = db.prepare(`UPDATE calls SET supervised_by = ? WHERE supervised_by IS NULL AND at BETWEEN ? AND ?
    AND session IN (SELECT key FROM sessions WHERE by_call = 1 AND project = ?)
    AND model IN (SELECT key FROM models WHERE family(name) IN
      (SELECT family(name) FROM models JOIN told ON told.model = models.key WHERE told.session = ?))`);
  for (const { session, started_at: startedAt, ended_at: endedAt, project } of runs.all(since - SLACK_MS)) {
    claim.run(session, startedAt - SLACK_MS, endedAt + SLACK_MS, project, session);
    shares.level(session, startedAt);
  }
  db.prepare(`DELETE FROM meta WHERE key = 'unsettled'`).run();
}

interface Run {
  readonly session: number;
  readonly started_at: number;
  readonly ended_at: number;
  readonly project: string;
}
