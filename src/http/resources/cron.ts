import { jobDocument, listJobs } from '../../app/documents/gateway-document.ts';
import { isoTime } from '../../core/time.ts';
import { pageOf } from '../pages.ts';
import { jsonRoute } from '../route.ts';
import {
  jobListQuery,
  jobListSchema,
  jobRemovedSchema,
  jobRunSchema,
  nextQuery,
  nextTimesSchema,
} from '../schemas/gateway-schemas.ts';
import { progressSchema } from '../schemas/values.ts';

const TIMES = 5;

/** Jobs are looked at, started and forgotten here. They are written down on the machine itself: a job is a command that runs there. */
export const cronRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/api/cron',
    scope: 'run',
    summary: 'List jobs, when each comes next and how it went last.',
    query: jobListQuery,
    answer: jobListSchema,
    handle: async ({ parts: { home }, query }) => {
      const { shown, about } = pageOf(await listJobs(await home.scheduler()), query);
      return { jobs: shown.map(jobDocument), ...about };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/cron/{id}/next',
    scope: 'run',
    summary: 'When a job comes next.',
    query: nextQuery,
    answer: nextTimesSchema,
    handle: async ({ parts: { home }, id, query: { count = TIMES } }) => ({
      job: id,
      times: (await (await home.scheduler()).next(id, count)).map(isoTime),
    }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/cron/{id}/run',
    scope: 'run',
    summary: 'Run a job now, whatever its schedule says. The answer comes when it has ended.',
    cost: 1000,
    answer: jobRunSchema,
    repeat: 'once',
    tells: progressSchema,
    handle: async ({ parts: { home }, id, signal }) => ({
      job: id,
      ...(await (await home.scheduler()).run(id, signal)),
    }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/cron/{id}/remove',
    scope: 'manage',
    summary: 'Forget a job that was added by command. The sessions of its runs stay.',
    answer: jobRemovedSchema,
    handle: async ({ parts: { home }, id }) => {
      await (await home.scheduler()).remove(id);
      return { removed: id };
    },
  }),
] as const;
