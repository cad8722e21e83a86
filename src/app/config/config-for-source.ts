import type { Config } from './config-schema.ts';

/** The `sessions` settings as they hold for one source. */
export type SourceSessionsConfig = Omit<Config['sessions'], 'by_source'>;

/**
 * The `sessions` settings with `by_source.<source>` laid over them, field by field; a list replaces the whole list.
 * The built-in `by_source.cron.transcripts: off` stays until the user sets that very key: a general
 * `sessions.transcripts: on` does not switch transcripts of cron on.
 */
export function sessionsConfigFor(config: Config, source: string): SourceSessionsConfig {
  const { by_source: bySource, ...general } = config.sessions;
  // A source may be called `constructor`; only what the user wrote counts.
  return Object.hasOwn(bySource, source) ? { ...general, ...bySource[source] } : general;
}
