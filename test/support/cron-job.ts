import type { CronJob } from '../../src/gateway/cron/cron-job.ts';

/** A job that comes every quarter of an hour. */
export function cronJob(over: Partial<CronJob> = {}): CronJob {
  return {
    name: 'report',
    schedule: '*/15 * * * *',
    timeZone: 'UTC',
    command: ['true'],
    missed: 'run-once',
    overlap: 'skip',
    deliver: [],
    ...over,
  };
}
