import { GUARD_NAMES, GUARDS, guardSetting } from '../../core/gateway/guards.ts';
import {
  type Counter,
  DAY_COUNTERS,
  LIMITS,
  SIZE_COUNTERS,
  SPENT_COUNTERS,
  type Unit,
} from '../../core/gateway/limits.ts';
import { SESSION_SETTING_NAMES, SESSION_SETTINGS, type SessionSetting } from '../../core/retention/session-settings.ts';
import type { Config } from './config-schema.ts';

/**
 * The configuration of someone who wrote none. Plain values, so that a start without config.yaml loads no parser;
 * a test holds it equal to what the schema makes of an empty file.
 */
export const DEFAULT_CONFIG: Config = {
  sessions: {
    auto_prune: false,
    min_interval_hours: 24,
    ...sessionDefaults(),
    by_source: { cron: { transcripts: 'off' } },
  },
  dumps: { max_count: 20, retention_days: 14, redact: true },
  trash: { grace_days: 7, max_mb: 10_240 },
  archive: {
    codec: 'brotli',
    retention_days: 'never',
    url: 'none',
    endpoint: 'none',
    region: 'us-east-1',
    credentials: 'environment',
    allow_http: false,
    cache_mb: 64,
  },
  disk: {
    max_mb: 'never',
    min_free_mb: 'never',
    for_good: false,
    low_water_percent: 85,
    ballast_mb: 32,
    by_source: {},
  },
  homes: { rescue: false, search_max_mb: 2048 },
  guard: { max_items: 50, max_percent: 20, notice_days: 3 },
  checkpoints: {
    enabled: false,
    max_snapshots: 20,
    max_total_size_mb: 500,
    max_file_size_mb: 10,
    max_files: 200_000,
    retention_days: 30,
    auto_prune: true,
    delete_orphans: true,
    min_interval_hours: 24,
    exclude: [],
  },
  session_reset: {
    mode: 'none',
    idle_minutes: 1440,
    at_hour: 4,
    time_zone: 'UTC',
    max_background_hours: 24,
    after: 'keep',
    by_source: {},
  },
  limits: { ...defaultsOf(SIZE_COUNTERS), warn_percent: 80 },
  budgets: {
    session: defaultsOf(SPENT_COUNTERS),
    day: defaultsOf(DAY_COUNTERS, 'never'),
    source: {},
    model: {},
    time_zone: 'UTC',
    on_breach: 'stop',
    alert_at: [50, 80, 100],
    alert_deliver: [],
    grace_percent: 10,
  },
  guards: guardDefaults(),
  prices: {},
  cron: { jobs: {}, max_parallel: 4, after_delivery: 'remove' },
  serve: { tls_cert: 'none', tls_key: 'none' },
  webhooks: { secret_file: 'none', secret_env: 'none' },
};

/** What is allowed of each, by its unit. */
function defaultsOf<C extends Counter>(counters: readonly C[], allOf?: 'never') {
  return Object.fromEntries(
    counters.map((counter) => [LIMITS[counter].unit, allOf ?? LIMITS[counter].session.default]),
  ) as { [Each in C as Unit<Each>]: number | 'never' };
}

function guardDefaults(): Config['guards'] {
  return Object.fromEntries(
    GUARD_NAMES.map((name) => {
      const guard = GUARDS[name];
      return [guardSetting(name), guard.kind === 'rate' ? guard.stop : guard.ladder];
    }),
  ) as Config['guards'];
}

function sessionDefaults(): Pick<Config['sessions'], SessionSetting> {
  const defaults = SESSION_SETTING_NAMES.map((name) => [name, SESSION_SETTINGS[name].default]);
  return Object.fromEntries(defaults) as Pick<Config['sessions'], SessionSetting>;
}
