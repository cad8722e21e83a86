import type { CronRun } from '../../core/gateway/cron-book.ts';
import type { Spend } from '../../core/gateway/gateway.ts';
import { LIMITS, unitSize } from '../../core/gateway/limits.ts';
import type { Route } from '../../core/gateway/route-book.ts';
import type { Correction } from '../../core/gateway/spend-book.ts';
import { hideUrlSecrets } from '../../core/hide-url-secrets.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';
import type { BudgetStanding } from '../gateway/budgets.ts';
import type { KnownJob } from '../gateway/cron-jobs.ts';
import type { Resolution } from '../gateway/gateway-session.ts';
import type { Scheduler } from '../gateway/scheduler.ts';
import { sessionDocument } from './session-document.ts';
import { timed } from './timed.ts';

/** A key and the session that answers it, as programs see them. */
export function routeDocument({ key, movedAt, session }: Route) {
  return { key, movedAt: isoTime(movedAt), ...(session && { session: sessionDocument(session) }) };
}

/** The session that answers a key now, and how that came about. */
export function resolvedDocument(
  key: string,
  { facts, resolution }: { facts: SessionFacts; resolution: Resolution },
  budgets: readonly BudgetStanding[],
) {
  return { key, resolution, session: sessionDocument(facts), budgets: budgets.map(budgetDocument) };
}

/** What was used, in dollars and without empty names. */
export function spendDocument({ key, period, unpriced, used: { nanoUsd, ...used } }: Spend) {
  return {
    ...(key !== '' && { key }),
    ...(period !== '' && { day: period }),
    ...used,
    costUsd: nanoUsd / 1e9,
    ...(unpriced === true && { unpriced }),
  };
}

/** How a limit stands, in the unit of its setting. */
export function budgetDocument({ scope, key, counter, until, ...amounts }: BudgetStanding) {
  const size = unitSize(counter);
  const { limit, used, reserved, left } = amounts;
  return {
    scope,
    ...(key !== '' && { key }),
    of: LIMITS[counter].unit,
    limit: limit / size,
    used: used / size,
    reserved: reserved / size,
    left: left / size,
    ...(until !== undefined && { until: isoTime(until) }),
  };
}

/** What was taken back, by whom and why. */
export function correctionDocument({ sessionId, tokens, nanoUsd, by, reason, at }: Correction) {
  return { sessionId, tokens, costUsd: nanoUsd / 1e9, by, reason, at: isoTime(at) };
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
  return {
    ...timed(job, 'addedAt'),
    deliver: job.deliver.map((to) => (to.kind === 'webhook' ? { ...to, url: hideUrlSecrets(to.url) } : to)),
    from,
    ...(nextAt !== undefined && { nextAt: isoTime(nextAt) }),
    ...(last !== undefined && { last: lastRunDocument(last) }),
  };
}

function lastRunDocument({ sessionId, startedAt, outcome }: CronRun) {
  return { sessionId, startedAt: isoTime(startedAt), outcome: outcome ?? 'running' };
}
