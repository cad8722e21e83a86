import { freeDiskBytes } from '../../app/free-disk.ts';
import { hideUrlSecrets } from '../../core/hide-url-secrets.ts';
import { isoTime } from '../../core/time.ts';
import { jsonRoute, type RawCall, type Route, rawRoute } from '../route.ts';
import { eventsQuery } from '../schemas/gateway-schemas.ts';
import {
  configCheckSchema,
  configSchema,
  homeSchema,
  readinessSchema,
  statusSchema,
} from '../schemas/machine-schemas.ts';
import { encodeMetrics, gauge, type Metric } from './metrics.ts';
import type { ChoreHealth } from './readiness.ts';

/** For whoever watches over the daemon: whether it lives, what it does, and how much of everything there is. */
export const machineRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/healthz',
    scope: 'none',
    summary: 'Whether the daemon lives. It tells nothing else.',
    answer: statusSchema,
    handle: () => ({ status: 'ok' as const }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/readyz',
    scope: 'none',
    summary:
      'Whether the daemon does its work: the home is open, its store takes writes, and what runs by the clock does. Status 503 when one of them is not so.',
    answer: readinessSchema,
    statusOf: ({ status }) => (status === 'ok' ? 200 : 503),
    handle: async ({ parts: { readiness } }) => {
      const checks = await readiness();
      return { status: Object.values(checks).every(Boolean) ? ('ok' as const) : ('failing' as const), checks };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/home',
    scope: 'any',
    summary: 'What the home is set to, as far as clients need to know it.',
    answer: homeSchema,
    handle: async ({ parts: { home } }) => {
      const nextAt = await home.nextMaintenanceAt();
      return {
        path: home.path,
        configFile: home.configuration.file,
        trashGraceDays: home.config.trash.grace_days,
        ...(nextAt !== undefined && { nextMaintenanceAt: isoTime(nextAt) }),
      };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/config',
    scope: 'manage',
    summary: 'The settings that the daemon goes by since it was started, and their file as it stands.',
    answer: configSchema,
    handle: async ({ parts: { home } }) => withoutSecrets(await home.configuration.show()),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/config/check',
    scope: 'manage',
    summary: 'What is wrong with the settings as they stand, before the daemon is started again.',
    answer: configCheckSchema,
    handle: async ({ parts: { home } }) => withoutSecrets(await home.configuration.check()),
  }),
  {
    method: 'GET',
    path: '/metrics',
    scope: 'read',
    summary: 'Figures for Prometheus.',
    contentType: 'text/plain',
    respond: sendMetrics,
  },
  rawRoute({
    method: 'GET',
    path: '/api/events',
    scope: 'read',
    summary:
      'What happens in any process of the home, as server-sent events, from now on or after the event named by Last-Event-ID. `data` is an Event. `type` and `session` leave out the others.',
    query: eventsQuery,
    contentType: 'text/event-stream',
    respond: ({ parts, query, request, response }) => parts.events.follow(request, response, query),
  }),
] as const satisfies readonly Route[];

/** Addresses may hold a password, which is nobody's business who only reads. */
function withoutSecrets<T extends object>(document: T): T {
  return JSON.parse(hideUrlSecrets(JSON.stringify(document))) as T;
}

async function sendMetrics({ parts: { home, events, metrics, chores }, response }: RawCall): Promise<void> {
  let active = 0;
  for await (const _ of home.sessions.list({ active: true })) active += 1;
  const [today] = await home.gateway.spend('day');
  const { report, heldSince } = await home.lastMaintenance();
  const waiting = report?.status === 'done' ? report.waiting : undefined;
  const text = encodeMetrics([
    ...metrics.list(),
    ...choreMetrics(chores()),
    gauge('coppice_event_clients', 'Clients that follow the events.', events.size),
    gauge('coppice_sessions_active', 'Sessions in use.', active),
    gauge('coppice_spend_day_tokens', 'Tokens used on the newest day with any use.', today?.used.tokens ?? 0),
    gauge('coppice_spend_day_usd', 'Dollars spent on the newest day with any use.', (today?.used.nanoUsd ?? 0) / 1e9),
    gauge('coppice_disk_free_bytes', 'Bytes free on the disk of the home.', freeDiskBytes(home.path)),
    gauge('coppice_maintenance_waiting_items', 'Items that the last unattended pass put off.', waiting?.items ?? 0),
    gauge('coppice_maintenance_waiting_bytes', 'Bytes of those items.', waiting?.sizeBytes ?? 0),
    gauge(
      'coppice_maintenance_waiting_until_seconds',
      'By when they go; 0 when nothing waits or it is held.',
      Math.round((waiting?.until ?? 0) / 1000),
    ),
    gauge('coppice_maintenance_held', 'Whether a person holds what would go.', heldSince === undefined ? 0 : 1),
    gauge('process_resident_memory_bytes', 'Memory of the daemon.', process.memoryUsage.rss()),
    gauge('process_start_time_seconds', 'When the daemon was started.', Math.round(performance.timeOrigin / 1000)),
  ]);
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' });
  response.end(text);
}

function choreMetrics(chores: readonly ChoreHealth[]): readonly Metric[] {
  const figure = (name: string, help: string, valueOf: (chore: ChoreHealth) => number): Metric => ({
    name,
    help,
    type: 'gauge',
    values: chores.map((chore) => ({ labels: { chore: chore.name }, value: valueOf(chore) })),
  });
  return [
    figure('coppice_chore_done_seconds', 'When each chore last went well.', ({ doneAt }) => Math.round(doneAt / 1000)),
    figure('coppice_chore_failing', 'Whether the last try of a chore failed.', ({ trouble }) => (trouble ? 1 : 0)),
  ];
}
