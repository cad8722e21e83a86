import type { CronRun } from '../../core/cron-book.ts';
import type { Spend } from '../../core/gateway.ts';
import type { Route } from '../../core/route-book.ts';
import type { SessionFacts } from '../../core/session.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';
import type { KnownJob } from '../gateway/cron-jobs.ts';
import type { Resolution } from '../gateway/gateway-session.ts';
import type { Scheduler } from '../gateway/scheduler.ts';
import { sessionDocument } from './session-document.ts';

/** A key and the session that answers it, as programs see them. */
export function routeDocument({ key, movedAt, session }: Route) {
  return { key, movedAt: isoTime(movedAt), ...(session && { session: sessionDocument(session) }) };
}

/** The session that answers a key now, and how that came about. */
export function resolvedDocument(key: string, { facts, resolution }: { facts: SessionFacts; resolution: Resolution }) {
  return { key, resolution, session: sessionDocument(facts) };
}

/** What was used, in dollars and without empty names. */
export function spendDocument({ key, period, used: { nanoUsd, ...used } }: Spend) {
  return {
    ...(key !== '' && { key }),
    ...(period !== '' && { day: period }),
    ...used,
    costUsd: nanoUsd / 1e9,
  };
}

/** A job with when it comes next and how it went last. */
export interface ListedJob extends KnownJob {
  readonly nextAt: EpochMs | undefined;
  readonly last: CronRun | undefined;
}

export async function listJobs(scheduler: Pick<Scheduler, 'jobs' | 'next' | 'lastRuns'>): Promise<ListedJob[]> {
  const jobs = await scheduler.jobs();
  return Promise.all(
    jobs.map(async ({ job, from }) => {
      const [nextAt] = await scheduler.next(job.name, 1);
      const [last] = await scheduler.lastRuns(job.name, 1);
      return { job, from, nextAt, last };
    }),
  );
}

export function jobDocument({ job, from, nextAt, last }: ListedJob) {
  const { outcome, startedAt, sessionId } = last ?? {};
  return {
    ...job,
    from,
    ...(nextAt !== undefined && { nextAt: isoTime(nextAt) }),
    ...(startedAt !== undefined && {
      last: { sessionId, startedAt: isoTime(startedAt), outcome: outcome ?? 'running' },
    }),
  };
}
