import type { AppScheduler, RemoteApp } from '../../app/app.ts';
import type { HomeCheck } from '../../app/doctor/check-home.ts';
import type { RepairStep } from '../../app/doctor/repair-home.ts';
import type { Client } from '../../client/client.ts';
import type { AuditQuery } from '../../core/audit.ts';
import type { Explanation } from '../../core/retention/plan.ts';
import { type Clock, isoTime } from '../../core/time.ts';
import { mapped } from '../mapped.ts';
import {
  readAuditRecord,
  readBudget,
  readCorrection,
  readJob,
  readLastRun,
  readReport,
  readRoute,
  readSession,
  readSpend,
  readStatus,
} from './read-documents.ts';
import { remoteCheckpoints } from './remote-checkpoints.ts';
import { remoteLedger } from './remote-ledger.ts';
import { remoteUsage } from './remote-usage.ts';
import { remoteRetention } from './remote-retention.ts';
import { remoteSessions } from './remote-sessions.ts';
import { stepsOf } from './steps-of.ts';

/** A home behind a daemon, as commands see it. */
export async function openRemoteHome(client: Client, clock: Clock): Promise<RemoteApp> {
  const { call } = client;
  const { path, configFile, trashGraceDays } = await call('GET /api/home', {});
  return {
    path,
    config: { trash: { grace_days: trashGraceDays } },
    configuration: {
      file: configFile,
      show: () => call('GET /api/config', {}),
      check: () => call('GET /api/config/check', {}),
    },
    sessions: remoteSessions(client, clock),
    gateway: remoteGateway(client),
    ledger: remoteLedger(client),
    usage: remoteUsage(client),
    audit: { list: (query) => mapped(client.audit(auditQuery(query)), readAuditRecord) },
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

function auditQuery({ since, ...query }: AuditQuery = {}) {
  return { ...query, ...(since !== undefined && { since: isoTime(since) }) };
}

function remoteGateway(client: Client): RemoteApp['gateway'] {
  return {
    routes: (query) => mapped(client.routes.list(query), readRoute),
    reset: async (key, reason) => readSession((await client.routes.reset(key, reason)).session),
    spend: async (scope) => (await client.usage(scope)).spending.map((one) => readSpend(scope, one)),
    budgets: async (session) =>
      (await client.call('GET /api/budget', { query: { session: session?.id } })).budgets.map(readBudget),
    correct: async ({ nanoUsd, ...request }) => {
      const body = { ...request, costUsd: nanoUsd / 1e9 };
      return (await client.call('POST /api/budget/corrections', { body })).corrections.map(readCorrection);
    },
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
