import type { CronBook, CronOutcome, CronRun } from '../../../core/gateway/cron-book.ts';
import type { Clock } from '../../../core/time.ts';
import type { Connection } from '../database/connection.ts';
import type { WriteQueue } from '../writing/write-queue.ts';

/** Jobs and their runs in the database. The primary key of a run is its slot: that is what makes a claim exclusive. */
export function createCronBook(db: Connection, queue: WriteQueue, clock: Clock): CronBook {
  return {
    async jobs() {
      const rows = db.sql<[], { name: string; spec: string }>('SELECT name, spec FROM cron_jobs ORDER BY name').all();
      return new Map(rows.map(({ name, spec }) => [name, spec]));
    },
    saveJob: (name, spec) =>
      queue.run(
        () =>
          void db
            .sql('INSERT INTO cron_jobs VALUES (?, ?) ON CONFLICT DO UPDATE SET spec = excluded.spec')
            .run(name, spec),
      ),
    dropJob: (name) => queue.run(() => db.sql('DELETE FROM cron_jobs WHERE name = ?').run(name).changes > 0),
    claim: ({ job, dueAt, sessionId }) =>
      queue.run(
        () =>
          db
            .sql('INSERT INTO cron_runs VALUES (?, ?, ?, ?, NULL, NULL) ON CONFLICT DO NOTHING')
            .run(job, dueAt, sessionId, clock.now()).changes > 0,
      ),
    finish: ({ job, dueAt }, outcome) =>
      queue.run(
        () =>
          void db
            .sql(
              'UPDATE cron_runs SET finished_at = ?, outcome = ? WHERE job = ? AND due_at = ? AND finished_at IS NULL',
            )
            .run(clock.now(), outcome, job, dueAt),
      ),
    async runs(job, limit) {
      return db
        .sql<[string, number], CronRow>('SELECT * FROM cron_runs WHERE job = ? ORDER BY due_at DESC LIMIT ?')
        .all(job, limit)
        .map(runOf);
    },
    async unfinished() {
      return db.sql<[], CronRow>('SELECT * FROM cron_runs WHERE finished_at IS NULL ORDER BY due_at').all().map(runOf);
    },
    trim: (job, keep) =>
      queue.run(
        () =>
          void db
            .sql(
              `DELETE FROM cron_runs WHERE job = ? AND finished_at IS NOT NULL AND due_at NOT IN
              (SELECT due_at FROM cron_runs WHERE job = ? ORDER BY due_at DESC LIMIT ?)`,
            )
            .run(job, job, keep),
      ),
  };
}

interface CronRow {
  readonly job: string;
  readonly due_at: number;
  readonly session_id: string;
  readonly started_at: number;
  readonly finished_at: number | null;
  readonly outcome: CronOutcome | null;
}

function runOf(row: CronRow): CronRun {
  return {
    job: row.job,
    dueAt: row.due_at,
    sessionId: row.session_id,
    startedAt: row.started_at,
    ...(row.finished_at !== null && { finishedAt: row.finished_at }),
    ...(row.outcome !== null && { outcome: row.outcome }),
  };
}
