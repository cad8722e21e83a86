import type { AppScheduler, RemoteApp } from '../../app/app.ts';
import type { HomeCheck } from '../../app/check-home.ts';
import type { RepairStep } from '../../app/repair-home.ts';
import type { Answer } from '../../client/api.ts';
import type { Client } from '../../client/client.ts';
import type { Explanation } from '../../core/plan.ts';
import type { Clock } from '../../core/time.ts';
import { mapped } from '../mapped.ts';
import { readJob, readLastRun, readReport, readRoute, readSession, readSpend, readStatus } from './read-documents.ts';
import { remoteCheckpoints } from './remote-checkpoints.ts';
import { remoteRetention } from './remote-retention.ts';
import { remoteSessions } from './remote-sessions.ts';
import { stepsOf } from './steps-of.ts';

/** A home behind a daemon, as commands see it. */
export async function openRemoteHome(client: Client, clock: Clock): Promise<RemoteApp> {
  const { call } = client;
  const { path, configFile, trashGraceDays, gc } = await call('GET /api/home', {});
  return {
    path,
    config: configOf(trashGraceDays, gc),
    configuration: {
      file: configFile,
      show: () => call('GET /api/config', {}),
      check: () => call('GET /api/config/check', {}),
    },
    sessions: remoteSessions(client, clock),
    gateway: remoteGateway(client),
    checkpoints: remoteCheckpoints(client),
    ...remoteRetention(client),
    status: async ({ signal, onProgress } = {}) =>
      readStatus(await call('GET /api/status', { signal, onStep: ({ done }) => onProgress?.(done) })),
    explain: async (id) => (await call('GET /api/explain/{id}', { id })) as Explanation,
    check: ({ signal } = {}) => stepsOf<HomeCheck>((onStep) => call('GET /api/check', { signal, onStep })),
    // The daemon looks again itself: what is wrong is not for a client to say.
    repair: () => stepsOf<RepairStep>((onStep) => call('POST /api/repair', { body: {}, onStep })),
    maintainInBackground: async ({ signal } = {}) =>
      readReport(await call('POST /api/maintain', { body: { auto: true }, signal })),
    scheduler: async () => remoteScheduler(client),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

function configOf(grace: number, gc: Answer<'GET /api/home'>['gc']): RemoteApp['config'] {
  const { emptyHours, trivialDays, trivialMax } = gc;
  return {
    trash: { grace_days: grace },
    sessions: { empty_hours: emptyHours, trivial_days: trivialDays, trivial_max: trivialMax },
  };
}

function remoteGateway(client: Client): RemoteApp['gateway'] {
  return {
    routes: () => mapped(client.routes.list(), readRoute),
    reset: async (key, reason) => readSession((await client.routes.reset(key, reason)).session),
    spend: async (scope) => (await client.usage(scope)).spending.map((one) => readSpend(scope, one)),
    async resolve(request) {
      const { session, resolution } = await client.routes.resolve(request);
      // The daemon holds the session, and gives it up when nobody uses it.
      return { facts: readSession(session), resolution, session: { release: async () => undefined } };
    },
  };
}

function remoteScheduler(client: Client): AppScheduler {
  const { call } = client;
  return {
    jobs: async () => (await client.cron.list()).map(readJob),
    next: async (name, count) => (await client.cron.next(name, count)).map((at) => Date.parse(at)),
    lastRuns: async (name) => (await client.cron.list()).filter((job) => job.name === name).flatMap(readLastRun),
    run: (id, signal) => call('POST /api/cron/{id}/run', { id, signal }),
    remove: async (id) => void (await call('POST /api/cron/{id}/remove', { id })),
  };
}
