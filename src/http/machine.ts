import { freeDiskBytes } from '../app/free-disk.ts';
import { isoTime } from '../core/time.ts';
import { encodeMetrics, gauge } from './metrics.ts';
import { jsonRoute, type RawCall, type Route } from './route.ts';
import { configCheckSchema, configSchema, homeSchema, statusSchema } from './schemas/machine-schemas.ts';

/** For whoever watches over the daemon: whether it lives, what it does, and how much of everything there is. */
export const machineRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/healthz',
    summary: 'Whether the daemon lives. It tells nothing else.',
    open: true,
    answer: statusSchema,
    handle: () => ({ status: 'ok' }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/readyz',
    summary: 'Whether the daemon takes requests: the home can be read, and it is not about to stop.',
    open: true,
    answer: statusSchema,
    handle: async ({ parts: { home } }) => {
      await home.sessions.get('-');
      return { status: 'ok' };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/home',
    summary: 'What the home is set to, as far as clients need to know it.',
    answer: homeSchema,
    handle: async ({ parts: { home } }) => {
      const nextAt = await home.nextMaintenanceAt();
      const rules = home.config.sessions;
      return {
        path: home.path,
        configFile: home.configuration.file,
        trashGraceDays: home.config.trash.grace_days,
        gc: { emptyHours: rules.empty_hours, trivialDays: rules.trivial_days, trivialMax: rules.trivial_max },
        ...(nextAt !== undefined && { nextMaintenanceAt: isoTime(nextAt) }),
      };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/config',
    summary: 'The settings that the daemon goes by since it was started, and their file as it stands.',
    answer: configSchema,
    handle: ({ parts: { home } }) => home.configuration.show(),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/config/check',
    summary: 'What is wrong with the settings as they stand, before the daemon is started again.',
    answer: configCheckSchema,
    handle: ({ parts: { home } }) => home.configuration.check(),
  }),
  {
    method: 'GET',
    path: '/metrics',
    summary: 'Figures for Prometheus.',
    contentType: 'text/plain',
    respond: sendMetrics,
  },
  {
    method: 'GET',
    path: '/api/events',
    summary:
      'What happens, as server-sent events, from now on or after the event named by Last-Event-ID. `data` is an Event.',
    contentType: 'text/event-stream',
    respond: ({ parts, request, response }) => parts.events.follow(request, response),
  },
] as const satisfies readonly Route[];

async function sendMetrics({ parts: { home, events, metrics }, response }: RawCall): Promise<void> {
  let active = 0;
  for await (const _ of home.sessions.list({ active: true })) active += 1;
  const [today] = await home.gateway.spend('day');
  const text = encodeMetrics([
    ...metrics.list(),
    gauge('coppice_event_clients', 'Clients that follow the events.', events.size),
    gauge('coppice_sessions_active', 'Sessions in use.', active),
    gauge('coppice_spend_day_tokens', 'Tokens used on the newest day with any use.', today?.used.tokens ?? 0),
    gauge('coppice_spend_day_usd', 'Dollars spent on the newest day with any use.', (today?.used.nanoUsd ?? 0) / 1e9),
    gauge('coppice_disk_free_bytes', 'Bytes free on the disk of the home.', freeDiskBytes(home.path)),
    gauge('process_resident_memory_bytes', 'Memory of the daemon.', process.memoryUsage.rss()),
    gauge('process_start_time_seconds', 'When the daemon was started.', Math.round(performance.timeOrigin / 1000)),
  ]);
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' });
  response.end(text);
}
