import type { Config } from './config-schema.ts';

/**
 * The configuration of someone who wrote none. A plain literal, so that a start without config.yaml loads no parser;
 * a test holds it equal to what the schema makes of an empty file.
 */
export const DEFAULT_CONFIG: Config = {
  sessions: {
    auto_prune: false,
    min_interval_hours: 24,
    retention_days: 90,
    transcript_retention_days: 'never',
    empty_hours: 24,
    trivial_max: 5,
    trivial_days: 7,
    archive_after_days: 'never',
    max_sessions: 'never',
    min_age_hours: 24,
    keep_last: 1,
    keep_tags: ['keep'],
    abandon_after_hours: 24,
    active_grace_minutes: 30,
    max_messages: 1000,
    max_mb: 10,
    transcripts: 'on',
    by_source: { cron: { transcripts: 'off' } },
  },
  dumps: { max_count: 20, retention_days: 14, redact: true },
  trash: { grace_days: 7 },
  archive: { codec: 'brotli', retention_days: 'never' },
  disk: { max_mb: 'never', min_free_mb: 'never', low_water_percent: 85, ballast_mb: 32, by_source: {} },
  guard: { max_items: 50, max_percent: 20 },
  checkpoints: {
    enabled: false,
    max_snapshots: 20,
    max_total_size_mb: 500,
    max_file_size_mb: 10,
    retention_days: 30,
    auto_prune: true,
    min_interval_hours: 24,
    exclude: [],
  },
  session_reset: { mode: 'none', idle_minutes: 1440, at_hour: 4, time_zone: 'UTC', by_source: {} },
  limits: { messages: 1000, mb: 10, warn_percent: 80 },
  budgets: {
    session: { tokens: 'never', usd: 'never', iterations: 'never', minutes: 'never' },
    day: { tokens: 'never', usd: 'never' },
    on_breach: 'stop',
  },
};
