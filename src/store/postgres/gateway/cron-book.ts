import type { CronBook, CronOutcome, CronRun } from '../../../core/gateway/cron-book.ts';
import type { Clock, EpochMs } from '../../../core/time.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import type { WriteTurn } from '../writing/write-turn.ts';

/** Jobs and their runs. The key of a run is its slot: that is what makes a claim exclusive, on however many machines. */
export function createCronBook(db: Database, write: WriteTurn, clock: Clock): CronBook {
  return {
    async jobs() {
      const rows = await db.all<{ name: string; spec: string }>(
        'SELECT name, spec FROM coppice.cron_jobs WHERE space = :space ORDER BY name',
      );
      return new Map(rows.map(({ name, spec }) => [name, spec]));
    },
    async saveJob(name, spec) {
      await write((tx) =>
        tx.run(
          'INSERT INTO coppice.cron_jobs VALUES (:space, ?, ?) ON CONFLICT (space, name) DO UPDATE SET spec = excluded.spec',
          name,
          spec,
        ),
      );
    },
    dropJob: (name) =>
      write(async (tx) => (await tx.run('DELETE FROM coppice.cron_jobs WHERE space = :space AND name = ?', name)) > 0),
    claim: (run) => write((tx) => claim(tx, run, clock.now())),
    finish: (run, outcome) => write((tx) => finish(tx, run, { outcome, now: clock.now() })),
    async runs(job, limit) {
      const rows = await db.all<CronRow>(
        'SELECT * FROM coppice.cron_runs WHERE space = :space AND job = ? ORDER BY due_at DESC LIMIT ?',
        job,
        Math.min(limit, Number.MAX_SAFE_INTEGER),
      );
      return rows.map(runOf);
    },
    async unfinished() {
      const rows = await db.all<CronRow>(
        'SELECT * FROM coppice.cron_runs WHERE space = :space AND finished_at IS NULL ORDER BY due_at, job',
      );
      return rows.map(runOf);
    },
    async trim(job, keep) {
      await write((tx) =>
        tx.run(
          `DELETE FROM coppice.cron_runs WHERE space = :space AND job = ? AND finished_at IS NOT NULL AND due_at NOT IN
           (SELECT due_at FROM coppice.cron_runs WHERE space = :space AND job = ? ORDER BY due_at DESC LIMIT ?)`,
          job,
          job,
          keep,
        ),
      );
    },
  };
}

async function claim(
  tx: Sql,
  { job, dueAt, sessionId }: Pick<CronRun, 'job' | 'dueAt' | 'sessionId'>,
  now: EpochMs,
): Promise<boolean> {
  const claimed = await tx.run(
    'INSERT INTO coppice.cron_runs VALUES (:space, ?, ?, ?, ?, NULL, NULL) ON CONFLICT DO NOTHING',
    job,
    dueAt,
    sessionId,
    now,
  );
  return claimed > 0;
}

async function finish(
  tx: Sql,
  { job, dueAt }: Pick<CronRun, 'job' | 'dueAt'>,
  { outcome, now }: { readonly outcome: CronOutcome; readonly now: EpochMs },
): Promise<void> {
  await tx.run(
    `UPDATE coppice.cron_runs SET finished_at = ?, outcome = ?
     WHERE space = :space AND job = ? AND due_at = ? AND finished_at IS NULL`,
    now,
    outcome,
    job,
    dueAt,
  );
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
