import type { Config } from './config-schema.ts';

/** The `sessions` settings as they hold for one source. */
export type SourceSessionsConfig = Omit<Config['sessions'], 'by_source'>;

/**
 * The `sessions` settings with `by_source.<source>` laid over them, field by field; a list replaces the whole list.
 * The built-in `by_source.cron.transcripts: off` stays until the user sets that very key: a general
 * `sessions.transcripts: on` does not switch transcripts of cron on.
 */
export function sessionsConfigFor(config: Config, source: string): SourceSessionsConfig {
  return laidOver(config.sessions, source);
}

/** The `session_reset` settings as they hold for one source. */
export type SourceResetConfig = Omit<Config['session_reset'], 'by_source'>;

/** The `session_reset` settings with `by_source.<source>` laid over them, field by field. */
export function resetConfigFor(config: Config, source: string): SourceResetConfig {
  return laidOver(config.session_reset, source);
}

/** A source may be called `constructor`; only what the user wrote counts. */
function laidOver<Rules extends object>(
  { by_source: bySource, ...general }: Rules & { by_source: Readonly<Record<string, object | undefined>> },
  source: string,
): Omit<Rules, 'by_source'> {
  return Object.hasOwn(bySource, source) ? { ...general, ...bySource[source] } : general;
}
